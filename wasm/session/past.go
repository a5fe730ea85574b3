package session

import (
	"sort"
	"time"

	"mhacsp/model/checkpoint"
	"mhacsp/model/train"
)

// past keeps states of the run in memory, so that seek can go back. The farther a run has come the wider apart they
// lie; what lies between is trained again, bit for bit.
type past struct {
	base     snapshot // what was opened; no file: the start values of the seed
	kept     []snapshot
	interval int // steps between two
	most     int // that many at most
	last     time.Time
}

type snapshot struct {
	step int
	file *checkpoint.File
}

// Bounds of what is kept.
const (
	pastBytes     = 64 << 20
	pastMost      = 32
	firstInterval = 20
	leastPause    = 500 * time.Millisecond // reading back costs time on a device
)

func newPast(base snapshot, parameters int) past {
	most := min(max(pastBytes/(12*parameters), 2), pastMost)
	return past{base: base, interval: firstInterval, most: most, last: time.Now()}
}

// wants reports whether the state after a step is to be kept.
func (p *past) wants(step int) bool {
	if step%p.interval != 0 || time.Since(p.last) < leastPause {
		return false
	}
	return len(p.kept) == 0 || p.kept[len(p.kept)-1].step < step // else a seek has gone back
}

func (p *past) keep(t *train.Trainer) error {
	file, err := t.State()
	if err != nil {
		return err
	}
	p.kept = append(p.kept, snapshot{t.Count(), file})
	p.last = time.Now()
	if len(p.kept) > p.most {
		p.thin()
	}
	return nil
}

// thin drops every second snapshot, never the newest.
func (p *past) thin() {
	left := p.kept[:0]
	for i, x := range p.kept {
		if (len(p.kept)-1-i)%2 == 0 {
			left = append(left, x)
		}
	}
	clear(p.kept[len(left):])
	p.kept = left
	p.interval *= 2
}

// before is the nearest snapshot at or before a step; ok is false where only the start values are.
func (p *past) before(step int) (snapshot, bool) {
	if at := sort.Search(len(p.kept), func(i int) bool { return p.kept[i].step > step }); at > 0 {
		return p.kept[at-1], true
	}
	return p.base, p.base.file != nil && p.base.step <= step
}

func (p *past) newest() (snapshot, bool) { return p.before(1 << 62) }

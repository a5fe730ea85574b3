//go:build cgo && !js

package webgpu

import "time"

// EachForm calls try once for each value but the default of each of Candidates, in those forms and with its name, as
// in "forward streamed4", and ends with the forms that b had. What the device refuses is left out, as the Tuner
// leaves it out. The first error of try ends it.
func (b *Backend) EachForm(try func(name string) error) error {
	defer func(f Forms) { b.forms = f }(b.forms)
	for _, k := range b.Candidates() {
		for _, v := range k.Values[1:] {
			f := DefaultForms().With(k, v)
			ready := b.Prepare(f)
			done, err := ready()
			for ; !done; done, err = ready() {
				time.Sleep(time.Millisecond)
			}
			if err != nil || b.SetForms(f) != nil {
				continue
			}
			if err := try(k.Name + " " + v); err != nil {
				return err
			}
		}
	}
	return nil
}

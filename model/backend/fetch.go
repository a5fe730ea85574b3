package backend

// immediate is the Fetch of a device that computes at once: Start copies.
type immediate struct {
	from Memory
	host []float32
	err  error
}

// ImmediateFetch makes a Fetch of Download alone, for backends whose calls have done their work when they return.
func ImmediateFetch(m Memory) Fetch { return &immediate{from: m} }

func (f *immediate) Start(src Vec) {
	if cap(f.host) < src.Len {
		f.host = make([]float32, src.Len)
	}
	f.host = f.host[:src.Len]
	f.err = f.from.Download(f.host, src)
}

func (f *immediate) Wait(dst []float32) error {
	if f.err != nil {
		return f.err
	}
	if len(dst) > len(f.host) {
		panic("backend: Fetch.Wait for more elements than Start was given")
	}
	copy(dst, f.host)
	return nil
}

func (f *immediate) Release() { f.host = nil }

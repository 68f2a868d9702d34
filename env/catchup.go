package env

import (
	"errors"
	"io"

	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
)

// CatchUp repeats what a log holds after the place at which the worlds stand, up to its
// last whole segment: a killed run stands there again. The log of the env compares with
// the same file. seen is called with each intervention. It returns where that segment ends,
// in bytes from the beginning of what in reads.
func (e *Env) CatchUp(in *runlog.Reader, seen func(Intervention)) (end int64, err error) {
	blocks := make([][]event, len(e.sim.Blocks()))
	end = in.Offset()
	for {
		notes, err := readSegment(in, blocks, true)
		if err == io.EOF || errors.As(err, new(*Damage)) {
			return end, nil // cut short where the run was killed
		}
		if err != nil {
			return end, err
		}
		for _, note := range notes {
			i, err := e.repeat(note)
			if err != nil {
				return end, err
			}
			seen(i)
		}
		err = e.execute(blocks)
		if err != nil && !errors.Is(err, runlog.ErrEnd) {
			return end, err
		}
		end = in.Offset()
		if err != nil {
			return end, nil
		}
	}
}

// NextPart goes on with the log in another file; see [runlog.Log.NextPart].
func (e *Env) NextPart(w io.WriteCloser) (runlog.Position, error) { return e.log.NextPart(w) }

package rpc

import (
	"cmp"
	"context"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// Follower follows the frames of a run. Where the connection is lost it joins again with its
// session: after an outage, after it was too slow, or once a run that was killed goes on. One
// goroutine may use it; Decoder.Welcome then has the session, for the intents of others.
type Follower struct {
	Client   LiveClient
	Request  *wire.JoinRequest // of the first Join; nil: a new session without a name
	Patience time.Duration     // for which it tries to reach a server that is gone; 0: it does not
	Decoder  wire.Decoder

	// Joined, if not nil, is called with each welcome, the first and those of later joins.
	Joined func(*wire.Welcome)
}

const againAfter = 100 * time.Millisecond

// Follow calls seen with each frame, until seen returns an error, ctx is cancelled, the run has ended, or the server
// is gone for longer than Patience. The error is that of seen, of the decoder, or a gRPC status.
func (f *Follower) Follow(ctx context.Context, seen func(*wire.Frame) error) error {
	request := proto.CloneOf(cmp.Or(f.Request, &wire.JoinRequest{}))
	request.Pongs = true
	var gone time.Time // since when there is no server
	for {
		joined, err := f.once(ctx, request, seen)
		if joined || gone.IsZero() {
			gone = time.Now()
		}
		if ctx.Err() != nil || !lost(err) || time.Since(gone) > f.Patience {
			return err
		}
		if w := f.Decoder.Welcome; w != nil {
			request.Session, request.After = w.GetSession(), f.Decoder.Frame().GetNumber()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(againAfter):
		}
	}
}

func lost(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.ResourceExhausted: // no server; too slow
		return true
	}
	return false
}

// once follows the frames of one stream. joined says whether it began.
func (f *Follower) once(
	ctx context.Context, request *wire.JoinRequest, seen func(*wire.Frame) error,
) (joined bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := f.Client.Join(ctx, request)
	for err == nil {
		var u *wire.Update
		if u, err = stream.Recv(); err == io.EOF {
			return joined, status.Error(codes.Aborted, "the server has ended the stream of frames")
		}
		if err != nil {
			break
		}
		before := f.Decoder.Frame()
		if err = f.Decoder.Take(u); err != nil {
			break
		}
		if p := u.GetPing(); p != nil { // a lost answer is one that is late
			go f.Client.Pong(ctx, &wire.PongRequest{Session: f.Decoder.Welcome.GetSession(), Id: p.Id})
		}
		if w := u.GetWelcome(); w != nil {
			joined = true
			if f.Joined != nil {
				f.Joined(w)
			}
		}
		if frame := f.Decoder.Frame(); frame != nil && frame != before {
			err = seen(frame)
		}
	}
	return joined, err
}

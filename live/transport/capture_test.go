package transport

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// A program has the captures of the steps that it takes, and a stream that it ends is over for the server, too.
func TestCapture(t *testing.T) {
	s := serve(t, Options{})
	ctx, cancel := context.WithCancel(bound(t))
	client := s.dial(t, insecure.NewCredentials())
	stream, err := client.Capture(ctx, &wire.CaptureRequest{Runner: "Sensors", Values: []string{"channel/gyro", "poses"},
		Every: 5})
	if err == nil {
		_, err = stream.Header() // it has begun
	}
	polytest.NoError(t, err)
	polytest.Must(client.Step(bound(t), &wire.StepRequest{Session: joined(t, s), Steps: 4}))(t)
	var had []*wire.Captured
	for len(had) < 8 {
		m := polytest.Must(stream.Recv())(t)
		had = append(had, m.Captures...)
	}
	for i, c := range had {
		if c.Ns != int64(i)*1e7 || c.N != int64(i/2) || c.K != int64(i)*5 || len(c.Values) != 2 ||
			c.Values[1].GetNs() != c.Ns || len(c.Values[0].Values) != 3 {
			t.Errorf("capture %d is %v", i, c)
		}
	}
	polytest.Equal(t, s.run.Stats().Captures, 1, "captures")
	cancel()
	for s.run.Stats().Captures > 0 {
		polytest.NoError(t, bound(t).Err())
	}
}

// Whoever may watch may capture; others, and requests that make no sense, are refused.
func TestCaptureIsRefused(t *testing.T) {
	s := serve(t, Options{Access: accessOf(t, "watch a-token-to-watch\n")})
	client := s.dial(t, insecure.NewCredentials())
	for _, c := range []struct {
		token  string
		runner string
		code   codes.Code
		want   string
	}{
		{"", "Robot", codes.Unauthenticated, errToken.Error()},
		{"a-token-to-watch", "Lidar", codes.InvalidArgument, `capture: no runner "Lidar", want one of Robot, Capture, ` +
			`Sensors`},
		{"a-token-to-watch", "Robot", codes.OK, ""},
	} {
		ctx := bound(t)
		if c.token != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.token)
		}
		stream, err := client.Capture(ctx, &wire.CaptureRequest{Runner: c.runner})
		if err == nil && c.code == codes.OK {
			_, err = stream.Header()
		} else if err == nil {
			_, err = stream.Recv()
		}
		if status.Code(err) != c.code || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with the token %q: %v, want %v and %q", c.runner, c.token, err, c.code, c.want)
		}
	}
}

package cli

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/transport"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rollouts"
	"github.com/polyrhythm-rl/polyrhythm/training/serving"
)

const defaultPage = "127.0.0.1:8080"

// defaultResolution is that of poses: half a millimetre, and 0.06 degrees.
const defaultResolution = 1.0 / 2048

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "serve --config FILE [--policy POLICY] [--out DIR]",
		Short:   "Run live worlds that programs watch and steer",
		Example: "  train serve --task quadruped --policy runs/quadruped-001",
		Long: "Run worlds by the wall clock, until Ctrl-C, while programs watch them and give actions, commands and " +
			"pushes, pause, step and reset them, and change their clock. With --out the run writes a log, which " +
			"train replay executes again. Other addresses than those of the loopback want --tokens, and are encrypted.",
		Args: withoutArguments,
	}
	// One world, whatever the file says of training; --set worlds=N comes later and wins.
	config := configFlags{defaults: []string{"time.mode=" + runners.SimRealtime.String()}, sets: []string{"worlds=1"}}
	config.AddRun(cmd)
	config.Alias("worlds", "worlds", "run `N` worlds; 1 if not given")
	policy := addPolicy(cmd)
	var o serveFlags
	cmd.Flags().StringVar(&o.web, "listen", defaultPage, "serve the page and WebSockets at `ADDRESS`; \"\" for none")
	cmd.Flags().StringVar(&o.grpc, "grpc", "127.0.0.1:8081", "serve gRPC at `ADDRESS`; \"\" for none")
	o.addFlags(cmd)
	cmd.Flags().DurationVar(&o.run.DecisionTimeout, "decision-timeout", live.DefaultDecisionTimeout,
		"take replies to decisions within `TIME` of simulated time")
	out := cmd.Flags().String("out", "", "write a log of the run to the folder `DIR`, new or empty")
	resume := cmd.Flags().String("resume", "", "go on with the run in the folder `DIR`, which was killed or stopped")
	logEvery := addLogFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var c *configs.Config
		var err error
		if *resume == "" {
			c, err = config.Load()
		} else {
			err = onlyWith(cmd, "resume", "listen", "grpc", "tokens", "cert", "key", "host", "origin",
				"decision-timeout", "cpuprofile")
		}
		if err != nil {
			return err
		}
		if o.web == "" && o.grpc == "" {
			return usagef("--listen and --grpc are both \"\", want at least one address")
		}
		if o.run.DecisionTimeout <= 0 {
			return usagef("--decision-timeout is %v, want more than 0", o.run.DecisionTimeout)
		}
		o.run.Warn = func(text string) { printWarning(cmd, text) }
		if err := o.secure(o.run.Warn); err != nil {
			return err
		}
		if o.run.Policy, err = policies.Open(*policy); err != nil {
			return err
		}
		o.run.Folder, o.run.LogEvery = *out, *logEvery
		if *resume != "" {
			if err := checkFolders("a live run", *resume); err != nil {
				return err
			}
			o.run.Folder, o.run.Resume = *resume, true
		}
		o.printTo(cmd.ErrOrStderr())
		played, err := onDisk(cmd.Context(), func() (rollouts.Played, error) {
			return serving.Serve(cmd.Context(), c, o.run)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", played.Task, count(played.Steps, "control step"))
		return cmd.Context().Err()
	}
	return cmd
}

// onlyWith fails if a flag is given that does not go with another.
func onlyWith(cmd *cobra.Command, flag string, others ...string) error {
	var problem error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != flag && !slices.Contains(others, f.Name) && problem == nil {
			problem = usagef("--%s is given with --%s, want it without: the run keeps what it began with", f.Name, flag)
		}
	})
	return problem
}

// serveFlags are the flags of the commands that serve live worlds.
type serveFlags struct {
	web, grpc, tokens, cert, key string
	hosts, origins               []string
	run                          serving.ServeOptions
	print                        func(text string)
	anyPort                      bool // another port may replace that of web if it is taken

	access         *transport.Access
	certificate    *tls.Certificate // certificate of the flags; nil: none
	ownCertificate *tls.Certificate // self-made certificate, for addresses without another; nil: not made yet
}

// addFlags gives a command the flags that do not say where to serve.
func (o *serveFlags) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.tokens, "tokens", "", "let in clients with a token in `FILE`, with lines \"ROLE "+
		"TOKEN\"; the roles are watch, steer and operate")
	cmd.Flags().StringVar(&o.cert, "cert", "", "encrypt with the certificate in `FILE`, with --key; without it other "+
		"addresses than the loopback's have a self-made one")
	cmd.Flags().StringVar(&o.key, "key", "", "the key of the certificate is in `FILE`")
	cmd.Flags().StringSliceVar(&o.hosts, "host", nil, "pages may reach the server by `NAME`; may be repeated")
	cmd.Flags().StringSliceVar(&o.origins, "origin", nil,
		"let pages of `ORIGIN`, such as https://app.foxglove.dev, watch by Foxglove's protocol; may be repeated")
	cmd.Flags().StringSliceVar(&o.run.Channels, "channels", nil, "put the sensor channels `NAMES` into each frame")
	cmd.Flags().Float64Var(&o.run.Resolution, "resolution", defaultResolution,
		"round positions to `N` m and quaternions to N; 0 for exact values")
	cmd.Flags().BoolVar(&o.run.Paused, "paused", false, "begin paused")
}

// printTo makes the run open the servers, which print to w.
func (o *serveFlags) printTo(w io.Writer) {
	o.print = func(text string) { fmt.Fprintln(w, text) }
	o.run.Open = o.open
	o.run.Infos = o.web != "" // which the page draws
}

// secure reads the tokens and the certificate, and fails if an address wants tokens that are not given. It warns of files
// that others can read or write, and of a certificate that clients refuse.
func (o *serveFlags) secure(warn func(text string)) (err error) {
	if o.tokens != "" {
		warnOfOthers("--tokens", o.tokens, warn)
		if o.access, err = transport.ReadAccess(o.tokens); err != nil {
			return asUsage(fmt.Errorf("--tokens: %w", err))
		}
	}
	for _, a := range []struct{ flag, address string }{{"--listen", o.web}, {"--grpc", o.grpc}} {
		if a.address == "" {
			continue
		}
		if _, port, err := net.SplitHostPort(a.address); err != nil {
			return usagef("%s is %q, want HOST:PORT: %w", a.flag, a.address, err)
		} else if _, err := net.LookupPort("tcp", port); err != nil {
			return usagef("%s is %q, want a port of 0 to 65535: %w", a.flag, a.address, err)
		}
		if !transport.Loopback(a.address) && o.access == nil {
			return usagef("%s is %s, which others can reach, want --tokens or an address such as 127.0.0.1:8080",
				a.flag, a.address)
		}
	}
	if (o.cert == "") != (o.key == "") {
		return usagef("--cert is %q and --key is %q, want both or none", o.cert, o.key)
	}
	if o.cert != "" {
		if o.certificate, err = readCertificate(o.cert, o.key); err != nil {
			return asUsage(fmt.Errorf("--cert: %w", err))
		}
		warnOfOthers("--key", o.key, warn)
		switch leaf, now := o.certificate.Leaf, time.Now(); {
		case now.After(leaf.NotAfter):
			warn(fmt.Sprintf("--cert: the certificate in %s has expired at %s: clients refuse it", o.cert,
				leaf.NotAfter.Format(time.RFC3339)))
		case now.Before(leaf.NotBefore):
			warn(fmt.Sprintf("--cert: the certificate in %s is valid from %s on, and here it is %s: clients refuse it", o.cert,
				leaf.NotBefore.Format(time.RFC3339), now.UTC().Format(time.RFC3339)))
		}
	}
	return nil
}

// warnOfOthers warns of a file with secrets that other users can read or write.
func warnOfOthers(flag, path string, warn func(text string)) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // whoever reads it says so
		return
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		warn(fmt.Sprintf("%s: other users can read or write %s, whose mode is %#o, want 0600", flag, path, mode))
	}
}

// maxCertificate is the most bytes of a chain of certificates, or of a key.
const maxCertificate = 1 << 20

// readCertificate reads a chain of certificates and its key.
func readCertificate(cert, key string) (*tls.Certificate, error) {
	chain, err := disk.ReadFile(cert, maxCertificate)
	if err != nil {
		return nil, err
	}
	secret, err := disk.ReadFile(key, maxCertificate)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(chain, secret)
	return &pair, err
}

// open listens, and returns a function that ends it.
func (o *serveFlags) open(run *live.Server) (closed func(), err error) {
	type server interface {
		Serve(net.Listener) error
		Close()
	}
	var servers []server
	closed = func() {
		for _, s := range servers {
			s.Close()
		}
	}
	for _, a := range []struct {
		flag, address, scheme, path string
		newServer                   func(transport.Options) server
	}{
		{"--listen", o.web, "ws", transport.Path, func(set transport.Options) server {
			return transport.NewWeb(run, set)
		}},
		{"--grpc", o.grpc, "grpc", "", func(set transport.Options) server { return transport.NewGRPC(run, set) }},
	} {
		if a.address == "" {
			continue
		}
		set, err := o.options(a.address)
		if err != nil {
			closed()
			return nil, err
		}
		l, err := o.listen(a.address)
		if err != nil {
			closed()
			return nil, fmt.Errorf("%s: %w", a.flag, err)
		}
		s := a.newServer(set)
		go s.Serve(l)
		servers = append(servers, s)
		scheme := a.scheme
		if set.TLS != nil {
			scheme += "s"
		}
		o.print(fmt.Sprintf("serving at %s://%s%s", scheme, l.Addr(), a.path))
		if a.path != "" {
			o.print(fmt.Sprintf("watch and steer it at %s://%s/", strings.Replace(scheme, "ws", "http", 1), l.Addr()))
		}
	}
	return closed, nil
}

// listen listens at an address or, if its port is taken and any will do, at another one.
func (o *serveFlags) listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil || !o.anyPort || address != o.web {
		return l, err
	}
	host, _, _ := net.SplitHostPort(address)
	return net.Listen("tcp", net.JoinHostPort(host, "0"))
}

// options are those of the server at an address.
func (o *serveFlags) options(address string) (transport.Options, error) {
	set := transport.Options{Access: o.access, Hosts: o.hosts, Origins: o.origins, Log: o.print}
	certificate := o.certificate
	if certificate == nil && transport.Loopback(address) {
		return set, nil
	}
	if certificate == nil && o.ownCertificate == nil {
		web, _, _ := net.SplitHostPort(o.web)
		grpc, _, _ := net.SplitHostPort(o.grpc)
		certificate, fingerprint, err := transport.SelfMade(web, grpc)
		if err != nil {
			return set, err
		}
		o.ownCertificate = &certificate
		o.print("the certificate is self-made, with the SHA-256 " + fingerprint)
	}
	certificate = cmp.Or(certificate, o.ownCertificate)
	set.TLS = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS13}
	return set, nil
}

package training

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The names of the files of a live run, besides its log.
const (
	LivePointFile = "live.point" // the newest point, from which the run can go on
	LiveKeyFile   = "live.key"   // the key of its clients' sessions, so that they can go on, too
)

// keepLiveEvery is the wall time after which a live run keeps another point.
const keepLiveEvery = 10 * time.Second

// livePoint is where a live run stood when a part of its log began. In its file,
// little-endian: the magic "prlive\x00\x01", the length of the JSON text (uint32), the text,
// a snapshot, and the CRC32C of all before (uint32).
type livePoint struct {
	Part       int              `json:"part"`
	Log        runlog.Position  `json:"log"` // where it began
	State      live.State       `json:"state"`
	Changes    []runners.Change `json:"changes,omitempty"` // of the clock, by clients
	Channels   []string         `json:"channels,omitempty"`
	Resolution float64          `json:"resolution"`

	worlds *sim.Snapshot
}

const livePointMagic = "prlive\x00\x01"

// write replaces the point in a folder.
func (p *livePoint) write(folder string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	file.WriteString(livePointMagic)
	file.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	file.Write(text)
	if _, err := p.worlds.WriteTo(&file); err != nil {
		return err
	}
	if err := disk.Replace(disk.OS{}, filepath.Join(folder, LivePointFile), true, disk.Bytes(seal(file.Bytes()))); err != nil {
		return fmt.Errorf("point to go on from: %w", err)
	}
	return nil
}

// readLivePoint reads the point in a folder.
func readLivePoint(folder string) (*livePoint, error) {
	path := filepath.Join(folder, LivePointFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s holds no live run to go on with: %w", folder, err)
	}
	if err != nil {
		return nil, err
	}
	p := &livePoint{}
	if err := p.decode(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func (p *livePoint) decode(data []byte) error {
	head := len(livePointMagic) + 4
	if len(data) < head+4 || string(data[:len(livePointMagic)]) != livePointMagic {
		return fmt.Errorf("it is no point of a live run: it begins with %q, want %q", data[:min(len(data), len(livePointMagic))], livePointMagic)
	}
	body, err := unseal(data)
	if err != nil {
		return err
	}
	rest := body[head:]
	n := binary.LittleEndian.Uint32(body[len(livePointMagic):])
	if uint64(n) > uint64(len(rest)) {
		return errors.New("damaged: a part is longer than the file")
	}
	if err := json.Unmarshal(rest[:n], p); err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	p.worlds, err = sim.ReadSnapshot(bytes.NewReader(rest[n:]))
	return err
}

// keeper keeps points of a live run, each with a new part of the log. What it writes is
// forced to the disk on a goroutine of its own, the log before the point that relies on it,
// so no step waits for the disk. Only the first point is waited for.
type keeper struct {
	folder  string
	env     *env.Env
	point   livePoint
	begun   bool
	writing chan error // of the point that is being written; nil: none
}

// keep begins a new part of the log and keeps a point, unless the one before is still being
// written.
func (k *keeper) keep(state live.State) error {
	if k.writing != nil {
		select {
		case err := <-k.writing:
			k.writing = nil
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	path := runlog.PartPath(filepath.Join(k.folder, LogFile), k.point.Part+1)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("run log: %w", err)
	}
	k.point.Part++
	if k.point.Log, err = k.env.NextPart(f); err != nil {
		return err
	}
	at, err := k.env.Position()
	if err != nil {
		return err
	}
	k.point.State, k.point.Changes, k.point.worlds = state, at.Changes, at.Worlds
	k.writing = make(chan error, 1)
	go func(p livePoint, done chan<- error) { done <- p.save(k.folder) }(k.point, k.writing)
	if k.begun {
		return nil
	}
	k.begun = true // no step is taken before there is a point
	err = <-k.writing
	k.writing = nil
	return err
}

// close waits for the last point, and forces the rest of the log to the disk. The log is
// closed.
func (k *keeper) close() error {
	var err error
	if k.writing != nil {
		err = <-k.writing
		k.writing = nil
	}
	return errors.Join(err, syncFile(runlog.PartPath(filepath.Join(k.folder, LogFile), k.point.Part)))
}

// save forces the log before a point to the disk, and then the point.
func (p *livePoint) save(folder string) error {
	log := filepath.Join(folder, LogFile)
	for part := p.Part - 1; part <= p.Part; part++ {
		if err := syncFile(runlog.PartPath(log, part)); err != nil {
			return err
		}
	}
	if err := (disk.OS{}).SyncDir(folder); err != nil {
		return err
	}
	if err := p.write(folder); err != nil {
		return err
	}
	return disk.OS{}.SyncDir(folder)
}

// syncFile forces what has been written to a file to the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// liveKey returns the key of the sessions of the run in a folder, which it makes if there
// is none. Only its owner may read it.
func liveKey(folder string) ([]byte, error) {
	path := filepath.Join(folder, LiveKeyFile)
	key, err := os.ReadFile(path)
	if err == nil && len(key) != live.KeySize {
		return nil, fmt.Errorf("%s has %d bytes, want %d", path, len(key), live.KeySize)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if key, err = live.NewKey(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(key)
	return key, errors.Join(err, f.Sync(), f.Close())
}

// liveRun is a live run that is about to begin or to go on; folder is nil without a log.
type liveRun struct {
	folder *Folder
	env    *env.Env
	config *configs.Config
	policy *Policy
	keeper *keeper
}

// resumeServe opens the worlds of the live run in a folder at its point, and repeats what
// the log holds after it.
func resumeServe(path string, options env.OpenOptions) (_ *liveRun, err error) {
	r := &liveRun{}
	if r.folder, err = RetakeFolder(path); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s holds no live run to go on with: %w", path, err)
	} else if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			r.folder.Close()
		}
	}()
	point, err := readLivePoint(path)
	if err != nil {
		return nil, err
	}
	log := filepath.Join(path, LogFile)
	compared, err := runlog.OpenParts(log, point.Part)
	if err != nil {
		return nil, err
	}
	options.Log, err = runlog.CompareFrom(compared, point.Log)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", log, err), compared.Close())
	}
	h := options.Log.Header()
	if r.config, err = configs.Parse(log, []byte(h.Configuration), nil, nil); err == nil {
		r.policy, err = (&replay{folder: path, config: r.config, header: h}).policy()
	}
	if err != nil {
		return nil, errors.Join(err, options.Log.Close())
	}
	options.StepOffset, options.Episodes = h.StepOffset, h.Episodes
	if steps := h.Driver[driverSteps]; steps != "" {
		if options.Steps, err = strconv.ParseInt(steps, 10, 64); err != nil {
			return nil, errors.Join(err, options.Log.Close())
		}
	}
	options.Continue = &env.Position{Worlds: point.worlds, Changes: point.Changes}
	if r.env, err = env.Open(r.config, options); err != nil {
		return nil, err
	}
	r.keeper = &keeper{folder: path, env: r.env, point: *point}
	if err := r.catchUp(log); err != nil {
		return nil, errors.Join(err, r.env.Close())
	}
	return r, nil
}

// catchUp repeats the log after the point and cuts what a killed process had not finished.
func (r *liveRun) catchUp(log string) error {
	point := &r.keeper.point
	parts, err := runlog.OpenParts(log, point.Part)
	if err != nil {
		return err
	}
	defer parts.Close()
	in, err := runlog.NewReader(parts)
	if err != nil {
		return err
	}
	end, err := r.env.CatchUp(in, point.State.Repeated)
	if err != nil {
		return err
	}
	part, at := parts.Locate(end)
	if err := os.Truncate(runlog.PartPath(log, part), at); err != nil {
		return err
	}
	point.Part, point.State = part, point.State.Resumed()
	for next := part + 1; ; next++ {
		err := os.Remove(runlog.PartPath(log, next))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

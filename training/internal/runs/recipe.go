package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/logs"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/policies"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// Recipe is what rollouts.Regenerate makes the dataset of a rollout from, and compares it with. In a file, see package
// container, the section recipe has the JSON text and policy the file that drove the run, if that is small.
type Recipe struct {
	Run      runlog.Header          `json:"run"` // of no log: Every is 0
	Recorded rundir.Recorded        `json:"recorded"`
	Policy   *driverDigest          `json:"policy,omitempty"` // of a policy with a file
	Document string                 `json:"document"`         // SHA-256 of polyrhythm.json
	Tables   []recorder.TableDigest `json:"tables"`

	Path   string `json:"-"` // of the file
	policy []byte
}

// driverDigest names the copy of a policy in the folder of its dataset.
type driverDigest struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// RecipeKind is the format of the file of a recipe.
var RecipeKind = container.Format{Name: "recipe", Version: 1, Sections: []string{"recipe", "policy"}}

const (
	maxRecipe         = 16 << 20
	maxPolicyInRecipe = 64 << 10 // a larger one stays in a file beside the recipe
)

// WriteRecipe writes the recipe of a rollout that is done into the folder of its dataset, whose bytes it is of.
func WriteRecipe(folder string, h runlog.Header, recorded rundir.Recorded) error {
	d, err := recorder.Open(folder)
	if err != nil {
		return err
	}
	h.Every = 0
	r := Recipe{Run: h, Recorded: recorded, Document: sha256Of(d.Document()), Tables: d.Digests()}
	if h.Driver[logs.DriverCheckpoint] != "" {
		name := logs.DriverCopy(h.Driver[logs.DriverPolicy])
		if r.policy, err = disk.ReadFile(filepath.Join(folder, name), disk.MaxWhole); err != nil {
			return err
		}
		r.Policy = &driverDigest{name, int64(len(r.policy)), sha256Of(r.policy)}
		if len(r.policy) > maxPolicyInRecipe {
			r.policy = nil
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return disk.Replace(disk.OS{}, filepath.Join(folder, rundir.RecipeFile), true,
		disk.Bytes(RecipeKind.Encode(text, r.policy)))
}

// ReadRecipe reads the recipe at path or, if that is a folder, the one in it.
func ReadRecipe(path string) (*Recipe, error) {
	given := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, rundir.RecipeFile)
	}
	data, err := disk.ReadFile(path, maxRecipe)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage.Errorf("%w: want a %s, which train rollout writes when it is done, or its folder", err,
			rundir.RecipeFile)
	}
	if err != nil {
		return nil, err
	}
	r := &Recipe{Path: path}
	sections, _, err := RecipeKind.Decode(data)
	if err == nil {
		r.policy = sections[1]
		err = json.Unmarshal(sections[0], r)
	}
	if err == nil && r.Run.Kind != logs.KindRollout {
		err = fmt.Errorf("it is of a run of the kind %q, want %q", r.Run.Kind, logs.KindRollout)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
		if path == given {
			err = usage.MarkKind(err)
		}
		return nil, err
	}
	return r, nil
}

// Driver returns the policy of the run: from the recipe or, if it is not there, from the file at path or, without one,
// beside the recipe.
func (r *Recipe) Driver(path string) (*policies.Policy, error) {
	contents := r.policy
	if r.Policy != nil && (contents == nil || path != "") {
		if path == "" {
			path = filepath.Join(filepath.Dir(r.Path), filepath.Base(r.Policy.File))
		}
		var err error
		if contents, err = disk.ReadFile(path, disk.MaxWhole); errors.Is(err, fs.ErrNotExist) {
			return nil, usage.Errorf("%w: want the policy of the run, a file of %d bytes with SHA-256 %s", err, r.Policy.Bytes,
				r.Policy.SHA256)
		} else if err != nil {
			return nil, err
		}
	}
	if r.Policy != nil && sha256Of(contents) != r.Policy.SHA256 {
		return nil, usage.Errorf("the policy has SHA-256 %s, want that of the run, %s", sha256Of(contents), r.Policy.SHA256)
	}
	return policies.Parse(r.Run.Driver[logs.DriverPolicy], r.Path, contents)
}

// Differs says where another dataset with these digests differs from that of the recipe; "" if it does not.
func (r *Recipe) Differs(d *recorder.Dataset, got []recorder.TableDigest) string {
	if len(got) != len(r.Tables) {
		return fmt.Sprintf("it has %d tables, want %d", len(got), len(r.Tables))
	}
	for i := range r.Tables {
		if text := r.Tables[i].Differs(&got[i]); text != "" {
			return text
		}
	}
	if sha256Of(d.Document()) != r.Document { // which each schema has, so that it cannot be this alone
		return "polyrhythm.json differs"
	}
	return ""
}

// OtherVersions says of each version on which the bits of the run depend that this program has another one.
func (r *Recipe) OtherVersions() []string {
	want := maps.Clone(r.Run.Versions)
	if r.Run.Driver[logs.DriverPolicy] != policies.Checkpoint { // OpenBLAS multiplies nothing
		delete(want, logs.KernelVersion)
	}
	return logs.OtherVersions(want)
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

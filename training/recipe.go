package training

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
)

// recipe is what [Regenerate] makes the dataset of a rollout from, and compares it with. In a file, see package
// container, the section recipe has the JSON text and policy the file that drove the run, if that is small.
type recipe struct {
	Run      runlog.Header          `json:"run"` // of no log: Every is 0
	Recorded Recorded               `json:"recorded"`
	Policy   *driverDigest          `json:"policy,omitempty"` // of a policy with a file
	Document string                 `json:"document"`         // SHA-256 of polyrhythm.json
	Tables   []recorder.TableDigest `json:"tables"`

	path   string
	policy []byte
}

// driverDigest names the copy of a policy in the folder of its dataset.
type driverDigest struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

var recipeKind = container.Format{Name: "recipe", Version: 1, Sections: []string{"recipe", "policy"}}

const (
	maxRecipe         = 16 << 20
	maxPolicyInRecipe = 64 << 10 // a larger one stays in a file beside the recipe
)

// writeRecipe writes the recipe of a rollout that is done into the folder of its dataset, whose bytes it is of.
func writeRecipe(folder string, h runlog.Header, recorded Recorded) error {
	d, err := recorder.Open(folder)
	if err != nil {
		return err
	}
	h.Every = 0
	r := recipe{Run: h, Recorded: recorded, Document: sha256Of(d.Document()), Tables: d.Digests()}
	if h.Driver[driverCheckpoint] != "" {
		name := copyOf(h.Driver[driverPolicy])
		if r.policy, err = os.ReadFile(filepath.Join(folder, name)); err != nil {
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
	return disk.Replace(disk.OS{}, filepath.Join(folder, RecipeFile), true,
		disk.Bytes(recipeKind.Encode(text, r.policy)))
}

// readRecipe reads the recipe at path or, if that is a folder, the one in it.
func readRecipe(path string) (*recipe, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, RecipeFile)
	}
	data, err := disk.ReadFile(path, maxRecipe)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%w: want a %s, which train rollout writes when it is done, or its folder", err, RecipeFile)
	}
	if err != nil {
		return nil, err
	}
	r := &recipe{path: path}
	sections, _, err := recipeKind.Decode(data)
	if err == nil {
		r.policy = sections[1]
		err = json.Unmarshal(sections[0], r)
	}
	if err == nil && r.Run.Kind != kindRollout {
		err = fmt.Errorf("it is of a run of the kind %q, want %q", r.Run.Kind, kindRollout)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// driver returns the policy of the run: from the recipe or, if it is not there, from the file at path or, without one,
// beside the recipe.
func (r *recipe) driver(path string) (*Policy, error) {
	contents := r.policy
	if r.Policy != nil && (contents == nil || path != "") {
		if path == "" {
			path = filepath.Join(filepath.Dir(r.path), filepath.Base(r.Policy.File))
		}
		var err error
		if contents, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("%w: want the policy of the run, a file of %d bytes with SHA-256 %s", err, r.Policy.Bytes,
				r.Policy.SHA256)
		} else if err != nil {
			return nil, err
		}
	}
	if r.Policy != nil && sha256Of(contents) != r.Policy.SHA256 {
		return nil, usagef("the policy has SHA-256 %s, want that of the run, %s", sha256Of(contents), r.Policy.SHA256)
	}
	return parsePolicy(r.Run.Driver[driverPolicy], r.path, contents)
}

// differs says where another dataset with these digests differs from that of the recipe; "" if it does not.
func (r *recipe) differs(d *recorder.Dataset, got []recorder.TableDigest) string {
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

// otherVersions says of each version on which the bits of the run depend that this program has another one.
func (r *recipe) otherVersions() []string {
	want := maps.Clone(r.Run.Versions)
	if r.Run.Driver[driverPolicy] != checkpointPolicy { // OpenBLAS multiplies nothing
		delete(want, kernelVersion)
	}
	return otherVersions(want)
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

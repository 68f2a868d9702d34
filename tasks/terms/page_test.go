package terms

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
)

var update = flag.Bool("update", false, "write docs/reference/terms and docs/reference/terms-elsewhere.md")

const pagesFolder = "../../docs/reference/terms"

// TestPage compares the pages of docs/reference/terms with those that the table, the comments and the parameters give.
// With -update it writes them.
func TestPage(t *testing.T) {
	want := pages(t)
	for name, page := range want {
		polytest.SamePage(t, *update, filepath.Join(pagesFolder, name), page, "go test ./tasks/terms -run TestPage -update")
	}
	for _, file := range polytest.Must(filepath.Glob(filepath.Join(pagesFolder, "*")))(t) {
		if _, ok := want[filepath.Base(file)]; !ok {
			t.Errorf("nothing gives the page %s", file)
		}
	}
}

// sections are the kinds in the order of the list of terms, with what is said of each.
var sections = []struct {
	kind  Kind
	keys  any
	about string
}{
	{Actions, ActionKeys{Scale: 1, Clip: Range{-1, 1}}, `
The values of the entries stand one after the other in the action vector. Each value is bounded: the policy's
choice beyond its bounds is clipped, as ~clip~ says. Targets are set once per control step, at its start.`},
	{Observations, ObservationKeys{}, `
Each entry adds its values to its group. The keys below apply to every entry, in the order noise, clip, scale,
delay, history. A group can be a mapping: ~{terms: [...], noise: false}~ leaves the noise out. An entry with
~expr~ observes the value of an expression.`},
	{Rewards, RewardKeys{}, `
The reward of a control step is the sum of weight × value × dt, where dt is the length of the control step. Both
peers multiply by dt too; ~scale_rewards_by_dt: false~ leaves it out. Values are those of the true state at the
end of the step. A term of weight 0 is not computed. Each entry is an info ~reward/NAME~, as it is added to the
reward. An entry with ~expr~ is an expression whose value is a number.`},
	{Terminations, TerminationKeys{}, `
An episode ends with the first control step at whose end an entry holds. An entry with ~expr~ is an expression
whose value is true or false.`},
	{Commands, CommandKeys{Resampling: defaultResampling}, `
A command is drawn as an episode begins, and again after a time. It changes between the reward of a step and the
observation that follows. So a step is rewarded for the command that the policy saw. Its values are infos
~command/NAME[0]~ and so on, and the quantity ~command.NAME~.`},
	{Events, EventKeys{Mode: Reset}, `
Events change the state, or parameters of the engine that each world has for itself. Events of mode startup
happen in every episode with the same draws, those of mode reset with new draws. Both happen before the first
observation: all of mode startup first, then those of mode reset, of one mode in the order of the file. Events of
mode interval happen at the start of a control step, and the next observation shows them.

An entry writes what it has ranges for, and leaves the rest to the entries before it. Of two entries that write the
same, the one that happens later holds. An entry of mode startup that stands behind one of mode reset which writes
the same is refused, since it would be lost.

What an event has drawn can be read by name. In [expressions](../configuration/expressions.md) of infos, observations
and rewards, ~parameter.body_mass.trunk~ is the mass of the body trunk in this world, and ~actuator.hip.kp~ a gain:
[quantities](quantities.md) lists them. Without an event they are the values of the model. An info is a column of the
table ~episodes~, which ~train inspect~ shows.`},
	{Curriculum, nil, `
Curriculum terms change other entries as training goes on. They count the control steps of each world since
training began. An evaluation uses the values at which training ended.`},
	{Infos, nil, `
Each entry is an expression whose value is a number at the end of a control step. The value is reported and not
rewarded. Evaluations, metrics and the table ~episodes~ of a dataset have its mean.`},
}

const generated = "<!-- Generated from tasks/terms by go test ./tasks/terms -run TestPage -update. Do not edit. -->"

const indexHead = `
A configuration makes its [task](../configuration/task.md) of these terms. Names and meanings are those of Isaac Lab
and mjlab ("the peers") wherever the two agree. Where they do not, the term says what it does here.
[Terms of mjlab and Isaac Lab](../terms-elsewhere.md) lists their names. Entries may also be
[expressions](../configuration/expressions.md) over [quantities](quantities.md).

## Conventions

- Positions are in the world unless stated. Quaternions are w x y z, and angles are in rad.
- Patterns are regular expressions that must match a whole name. They select objects in the order of the model.
- Joints are those with an actuator unless patterns name others. If only tendons and muscles move a robot, joints are
  all its hinges and slides.
- The *base* is the body of the first free joint that carries joints with actuators. A term that needs a base is
  refused for a robot without a base.
- Forces, torques, accelerations and contacts *in the newest substep* are those with which that substep begins. Poses
  and velocities beside them are those at its end, one physics step later, unless a term says otherwise.
- *Mapping* means patterns of joint names with a number each, such as ~{".*_hip": 0.5, ".*_knee": 1}~.
- Any term that is about bodies, geoms, sites, joints, actuators or a base can be about another
  [entity](../configuration/entities.md) than the robot: ~entity: cube~. The base is then that of its first free joint.
`

// pages returns the pages by the names of their files: the index, a page for each kind, and the quantities.
func pages(t *testing.T) map[string]string {
	docs, result := readComments(t), map[string]string{}
	var index strings.Builder
	fmt.Fprintf(&index, "# Terms\n\n%s\n%s", generated, indexHead)
	for _, s := range sections {
		var b strings.Builder
		file := string(s.kind) + ".md"
		fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n", title(string(s.kind)), generated, strings.TrimSpace(s.about))
		b.WriteString("\n[Conventions](index.md#conventions) says what frames, patterns and the base are.\n")
		if s.keys != nil {
			v := reflect.New(reflect.TypeOf(s.keys)).Elem()
			v.Set(reflect.ValueOf(s.keys))
			docs.parameters(t, &b, v)
		}
		fmt.Fprintf(&index, "\n## [%s](%s)\n\n", title(string(s.kind)), file)
		listed := 0
		for _, term := range table {
			if term.Kind != s.kind {
				continue
			}
			name, comment := term.docs, docs.functions[term.docs]
			if name == "" {
				name, comment = term.Name, docs.terms[term.Name]
			}
			if comment == "" {
				t.Errorf("neither the function %s nor the row of %s has a comment", term.docs, term.Name)
			}
			comment = withoutName(name, comment)
			fmt.Fprintf(&b, "\n## %s\n\n%s", term.Name, comment)
			if kind, ok := fieldArrays[term.array]; ok && kind != "" {
				fmt.Fprintf(&b, "\nQuantity: `parameter.%s.NAME` of a %s.\n", term.array, kind)
			} else if term.array != "" {
				fmt.Fprintf(&b, "\nQuantity: `parameter.%s`.\n", term.array)
			}
			docs.axes = term.axes
			docs.parameters(t, &b, term.keys().Elem().Field(2))
			if listed++; listed == 1 {
				index.WriteString("| term | |\n|---|---|\n")
			}
			fmt.Fprintf(&index, "| [~%s~](%s#%s) | %s |\n", term.Name, file, term.Name, gist(comment))
		}
		if listed == 0 {
			index.WriteString("Entries are expressions; there are no terms of this kind.\n")
		}
		result[file] = strings.ReplaceAll(b.String(), "~", "`")
	}
	index.WriteString("\n## [Quantities](quantities.md)\n\nWhat expressions may name.\n")
	result["index.md"] = strings.ReplaceAll(index.String(), "~", "`")
	result["quantities.md"] = strings.ReplaceAll(quantitiesPage(), "~", "`")
	return result
}

// gist returns the first sentence of a comment, up to the formula if one follows.
func gist(comment string) string {
	first, _, _ := strings.Cut(comment, "\n\n")
	first = strings.Join(strings.Fields(first), " ")
	if i := strings.Index(first, ". "); i >= 0 {
		first = first[:i]
	} else if !strings.HasSuffix(first, ".") && strings.Contains(first, ": ") {
		first = first[:strings.LastIndex(first, ": ")] // a formula ends the sentence
	}
	return strings.TrimRight(first, ".:")
}

// comments are those of the package.
type comments struct {
	functions map[string]string            // by name
	terms     map[string]string            // by the name of the term
	fields    map[string]map[string]string // by type and field

	axes string // of the field whose parameters are written
}

func readComments(t *testing.T) comments {
	c := comments{functions: map[string]string{}, terms: map[string]string{}, fields: map[string]map[string]string{}}
	files := polytest.Must(filepath.Glob("*.go"))(t)
	for _, name := range files {
		set := token.NewFileSet()
		file := polytest.Must(parser.ParseFile(set, name, nil, parser.ParseComments))(t)
		above := map[int]string{} // the comment that ends above a line
		for _, group := range file.Comments {
			above[set.Position(group.End()).Line+1] = group.Text()
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				comment, ok := above[set.Position(n.Pos()).Line]
				if !ok || len(n.Args) == 0 {
					return true
				}
				if name, ok := n.Args[0].(*ast.BasicLit); ok && name.Kind == token.STRING {
					c.terms[polytest.Must(strconv.Unquote(name.Value))(t)] = comment
				}
			case *ast.FuncDecl:
				if n.Recv == nil {
					c.functions[n.Name.Name] = n.Doc.Text()
				}
			case *ast.TypeSpec:
				s, ok := n.Type.(*ast.StructType)
				if !ok {
					return true
				}
				c.fields[n.Name.Name] = map[string]string{}
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						c.fields[n.Name.Name][name.Name] = f.Doc.Text()
					}
				}
			}
			return true
		})
	}
	return c
}

// parameters writes the table of the fields of a struct with the defaults.
func (c comments) parameters(t *testing.T, b *strings.Builder, v reflect.Value) {
	rows := c.rows(t, "", v)
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n| key | value | default | |\n|---|---|---|---|\n")
	for _, row := range rows {
		b.WriteString(row)
	}
}

func (c comments) rows(t *testing.T, path string, v reflect.Value) []string {
	var rows []string
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" {
			rows = append(rows, c.rows(t, path, v.Field(i))...)
			continue
		}
		key := decode.Join(path, tag)
		comment := c.fields[v.Type().Name()][f.Name]
		if comment == "" {
			t.Errorf("the field %s of %s has no comment", f.Name, v.Type().Name())
		}
		comment = strings.Join(strings.Fields(withoutName(f.Name, comment)), " ")
		if tag == "axes" {
			comment = "The " + c.axes + "."
		}
		nested := f.Type
		if nested.Kind() == reflect.Slice && nested.Elem().Kind() == reflect.Struct {
			rows = append(rows, fmt.Sprintf("| `%s` | list | | %s |\n", key, comment))
			rows = append(rows, c.rows(t, key+"[]", reflect.New(nested.Elem()).Elem())...)
			continue
		}
		if nested.Kind() == reflect.Pointer && nested.Elem().Kind() == reflect.Struct {
			rows = append(rows, fmt.Sprintf("| `%s` | mapping | | %s |\n", key, comment))
			rows = append(rows, c.rows(t, key, reflect.New(nested.Elem()).Elem())...)
			continue
		}
		if nested.Kind() == reflect.Struct && nested != reflect.TypeFor[Delay]() {
			rows = append(rows, fmt.Sprintf("| `%s` | mapping | | %s |\n", key, comment))
			rows = append(rows, c.rows(t, key, v.Field(i))...)
			continue
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |\n", key, typeOf(f.Type), defaultOf(v.Field(i)), comment))
	}
	return rows
}

// typeOf names the type of a parameter.
func typeOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Range](), reflect.TypeFor[*Range]():
		return "[low, high]"
	case reflect.TypeFor[[3]float64]():
		return "[x, y, z]"
	case reflect.TypeFor[PerJoint]():
		return "number or mapping"
	case reflect.TypeFor[Patterns]():
		return "patterns"
	case reflect.TypeFor[Delay]():
		return "steps or [low, high]"
	case reflect.TypeFor[time.Duration]():
		return "time"
	case reflect.TypeFor[[2]time.Duration]():
		return "[time, time]"
	case reflect.TypeFor[any]():
		return "number or list"
	case reflect.TypeFor[map[string]any]():
		return "mapping"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "list of " + typeOf(t.Elem())
	}
	panic(fmt.Sprintf("no name for the type %s: add it here", t))
}

// defaultOf writes the default of a parameter; "" for none.
func defaultOf(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case Range:
		return fmt.Sprintf("[%v, %v]", x[0], x[1])
	case [2]time.Duration:
		if x == [2]time.Duration{} {
			return ""
		}
		return fmt.Sprintf("[%v, %v]", x[0], x[1])
	case Delay:
		return fmt.Sprint(x.Low)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return ""
		}
		if v.Kind() != reflect.Slice {
			v = v.Elem()
		}
	case reflect.String:
		return v.String()
	}
	return fmt.Sprint(v.Interface())
}

// withoutName drops the Go name with which a comment begins, and "is" or "are" after it.
func withoutName(name, comment string) string {
	rest, ok := strings.CutPrefix(comment, name+" ")
	if !ok {
		return comment
	}
	for _, verb := range []string{"is ", "are ", "holds "} {
		if cut, ok := strings.CutPrefix(rest, verb); ok {
			rest = cut
			break
		}
	}
	return title(rest)
}

func title(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// fieldsOnly is a model that has qpos, qvel and any probe, and no parameters.
type fieldsOnly struct{ physics.Model }

func (fieldsOnly) Nominal(source string) ([]float64, error) { return nil, errors.New(source) }

func (fieldsOnly) Field(string) (physics.Span, error) { return physics.Span{Len: 20}, nil }

// quantitiesPage lists the quantities of a robot with a base and a joint.
func quantitiesPage() string {
	b := NewBinder(&Robot{
		Model: fieldsOnly{}, Sensors: &sensors.Suite{},
		Bodies:    []Part{{Name: "world"}, {Name: "base"}},
		Joints:    []Joint{{Type: Free, Body: 1}, {Name: "joint", Body: 1}},
		Actuators: []Actuator{{Joint: 1, Kind: PositionActuator, Gear: 1}},
	}, 0)
	b.KeepActions([]string{"joint"})
	var out strings.Builder
	fmt.Fprintf(&out, "# Quantities\n\n%s\n", generated)
	out.WriteString(`
What an [expression](../configuration/expressions.md) may name. The column of values says how long a vector is, and
~v[0]~ is its first value.

| name | values | unit | |
|---|---|---|---|
`)
	for _, q := range b.quantities {
		if q.doc == "" {
			continue
		}
		size := fmt.Sprint(q.size)
		switch {
		case strings.HasPrefix(q.name, "joint_"):
			size = "one for each joint"
		case q.name == "control":
			size = "one for each actuator"
		case q.size == 0:
			size = "a number"
		case strings.HasSuffix(q.name, "action"):
			size = "one for each action value"
		case q.name == "qpos" || q.name == "qvel":
			size = "all"
		}
		if q.bool {
			size = "true or false"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", q.name, size, q.unit, q.doc)
	}
	out.WriteString(`| ~command.NAME~ | those of the command | | a command, as the policy sees it |
| ~sensor.NAME~ | those of the channel | | a sensor channel of the configuration, as it may be read now |
| ~joint.NAME.position~, ~joint.NAME.velocity~ | a number | | any joint; 7 and 6 values of a free one |
| ~body.NAME.position~, ~body.NAME.quaternion~ | 3, 4 | m, 1 | origin and orientation of a body's frame; world |
| ~body.NAME.velocity~, ~site.NAME.velocity~ | 6 | | linear in m/s, then angular in rad/s, at the origin; world |
| ~body.NAME.angular_momentum~ | 3 | kg·m²/s | of a body and what hangs on it, about their centre of mass; world |
| ~body.NAME.wrench~ | 6 | | its parent's force in N, then torque in N·m about its origin, in the newest substep; along the axes of the world, so the pose with which that substep begins turns it into the frame of the body, see body_incoming_wrench |
| ~body.NAME.contact~, ~geom.NAME.contact~ | 3 | N | net contact force in the newest substep; world |
| ~contact.NAME.found~ | a number | 1 | contacts between the sets of an entry of scene.contacts, in the newest substep |
| ~contact.NAME.force~ | 3 | N | their force on the first set; world |
| ~parameter.ARRAY.NAME~, of the scene ~parameter.ARRAY~ | those of the array | | constants of MuJoCo's model that events can change, as they are in the world: ~body_mass~, ~body_ipos~, ~geom_friction~, ~dof_damping~, ~gravity~ and the other arrays that [events](events.md) name |
| ~actuator.NAME.kp~, ~actuator.NAME.kd~ | a number | | gains of a position or velocity actuator at its joint, N·m/rad and N·m·s/rad, or N/m and N·s/m |
| ~joint.NAME.encoder_bias~ | a number | | of the encoder of an actuated joint, rad or m; 0 without an event |
| ~actions.NAME.delay~, ~observations.GROUP.NAME.delay~ | a number | 1 | delay of an entry in this episode, in control steps, for entries behind it |
| ~entity.NAME.base_pos~ and so on | | | the quantities of the base of another entity |
| ~geom.NAME.position~, ~site.NAME.position~ | 3 | m | centre of a geom, origin of a site; world |
`)
	return out.String()
}

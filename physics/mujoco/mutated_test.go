package mujoco

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// robots returns the files of models that come with the repository and what its set-up downloads.
func robots(t *testing.T) (list []string) {
	t.Helper()
	for _, folder := range []string{"../../configs", "testdata", "../../third_party/robots"} {
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			info, infoErr := os.Stat(path)
			if err = errors.Join(err, infoErr); err != nil || e.IsDir() || info.Size() > 100_000 {
				return err
			}
			if ext := filepath.Ext(path); ext == ".xml" || ext == ".urdf" {
				list = append(list, path)
			}
			return nil
		})
		polytest.NoError(t, err)
	}
	return list
}

var (
	robotAttribute = regexp.MustCompile(`[\w:]+="[^"]*"`)
	robotElement   = regexp.MustCompile(`<[\w:]+[^<>]*/>`)
	robotNumber    = regexp.MustCompile(`-?\d+(\.\d*)?`)
)

// others are what MuJoCo knows and few robots have.
var others = []string{
	`<geom type="sdf" size="1"/>`, `<geom type="mesh" size="1"/>`, `<geom type="hfield"/>`, `<site/>`,
	`<freejoint/>`, `<joint type="ball" range="0 1" limited="true"/>`,
	`<flexcomp name="f" type="grid" count="3 3 3" spacing=".1 .1 .1"/>`,
	`<flexcomp name="f" type="mesh" file="x.obj" dim="2"/>`,
	`<composite type="cable" count="3 1 1" curve="s"/>`, `<frame name="q"><body/></frame>`,
	`<plugin plugin="mujoco.elasticity.cable"/>`, `<attach model="m" body="b" prefix="p"/>`,
	`<replicate count="2" euler="0 0 1"><geom size="1"/></replicate>`,
	`<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/>`,
	`<camera mode="trackcom" resolution="0 0" sensorsize="1 1" focal="0 0"/>`,
	`<light type="image" texture="t"/>`, `<default class="q"><default class="r"/></default>`,
	`<key qpos="1" mpos="1" ctrl="1"/>`, `<exclude body1="a" body2="b"/>`,
	`<muscle joint="j" lengthrange="0 1"/>`, `<adhesion body="b"/>`, `<damper joint="j"/>`,
	`<cylinder joint="j"/>`, `<intvelocity joint="j"/>`,
	`<general cranksite="s" slidersite="s" cranklength="1"/>`, `<spatial><site site="s"/></spatial>`,
	`<fixed><joint joint="j" coef="1"/></fixed>`, `<pulley divisor="0"/>`,
	`<weld body1="b" relpose="0 0 0 0 0 0 0"/>`, `<connect body1="b" anchor="0 0 0"/>`,
	`<flex name="x" dim="2" body="b b b" element="0 1 2"/>`,
	`<tuple name="t"><element objtype="body" objname="b"/></tuple>`, `<text name="t" data=""/>`,
	`<numeric name="n" data=""/>`, `<rangefinder site="s"/>`, `<contact geom1="g" geom2="g" num="0"/>`,
	`<tactile geom="g" mesh="m"/>`, `<distance geom1="g" body2="b"/>`, `<user name="u" dim="0"/>`,
	`<skin vertex="0 0 0" face="0 0 0"/>`,
	`<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 9" inertia="shell"/>`,
	`<mesh name="m" builtin="sphere" params="0"/>`, `<mesh name="m" builtin="wedge" params="1 1 1 1 1"/>`,
	`<texture name="t" type="cube" gridsize="9 9" gridlayout="."/>`,
	`<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2"/>`,
	`<mimic joint="j" multiplier="nan"/>`, `<safety_controller k_velocity="1"/>`,
	`<collision><geometry><capsule radius="0" length="1"/></geometry></collision>`,
}

var extremes = []string{
	"0", "-1", "1e30", "-1e30", "1e-30", "2147483648", "-2147483649", "4294967296", "100000", "65536", "1e9", "0.5",
	"3", "7", "255",
}

// mutateRobot changes a few places of a model; donor is another one, parts of which it may get.
func mutateRobot(random *rand.Rand, text, donor string) string {
	pick := func(pattern *regexp.Regexp, source string) (a, b int) {
		all := pattern.FindAllStringIndex(source, -1)
		if len(all) == 0 {
			return 0, 0
		}
		match := all[random.IntN(len(all))]
		return match[0], match[1]
	}
	for range 1 + random.IntN(4) {
		switch random.IntN(9) {
		case 0:
			text = mutate(random, text)
		case 1: // a number to an extreme one
			a, b := pick(robotNumber, text)
			text = text[:a] + extremes[random.IntN(len(extremes))] + text[b:]
		case 2: // no attribute
			a, b := pick(robotAttribute, text)
			text = text[:a] + text[b:]
		case 3: // another attribute
			a, b := pick(robotAttribute, text)
			c, d := pick(robotAttribute, donor)
			text = text[:a] + donor[c:d] + text[b:]
		case 4: // one more
			a, _ := pick(robotAttribute, text)
			c, d := pick(robotAttribute, donor)
			text = text[:a] + donor[c:d] + " " + text[a:]
		case 5: // an element twice, or another's
			a, _ := pick(robotElement, text)
			c, d := pick(robotElement, donor)
			text = text[:a] + donor[c:d] + text[a:]
		case 6:
			a, b := pick(robotElement, text)
			text = text[:a] + text[b:]
		case 7:
			a, _ := pick(robotElement, text)
			text = text[:a] + others[random.IntN(len(others))] + text[a:]
		case 8: // a value of another attribute
			a, b := pick(robotAttribute, text)
			c, d := pick(robotAttribute, text)
			name, _, _ := strings.Cut(text[a:b], "=")
			_, value, ok := strings.Cut(text[c:d], "=")
			if ok {
				text = text[:a] + name + "=" + value + text[b:]
			}
		}
	}
	return text
}

// What crashes MuJoCo's reader is an error, which names the file and the crash, and the process goes on.
func TestCrashOfTheReaderIsAnError(t *testing.T) {
	before := OpenHandles()
	const obj = "v 0 0 0\nv 0 0 \nf 1 2 -2147483649/" // a vertex that is not whole, and one far outside
	_, err := compileFiles(t, map[string]string{"a.obj": obj, "main.xml": `<mujoco><worldbody><body name="b">
		<geom size="1"/><flexcomp name="f" type="mesh" file="a.obj" dim="2"/></body></worldbody></mujoco>`}, one)
	wantOneLine(t, err, "main.xml: MuJoCo crashed while it was reading the model: segmentation fault")
	polytest.Equal(t, OpenHandles(), before, "handles are open")
}

// Whatever is changed in the file of a robot, reading it ends in a model or an error of one line, and no crash.
func TestMutatedRobotsLong(t *testing.T) {
	polytest.OnlySlow(t)
	list := robots(t)
	tries, _ := polytest.Cases(t, 20, 60, 400)
	random := rand.New(rand.NewPCG(27, 3))
	refused := 0
	for range tries {
		path := list[random.IntN(len(list))]
		text := polytest.Must(os.ReadFile(path))(t)
		donor := polytest.Must(os.ReadFile(list[random.IntN(len(list))]))(t)
		changed := mutateRobot(random, string(text), string(donor))
		m, err := openModel(path, map[string][]byte{clean(path): []byte(changed)}, Options{})
		if err == nil {
			polytest.NoError(t, m.Close())
			continue
		}
		refused++
		if strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("error %q, want one line", err)
		}
		if strings.Contains(err.Error(), "MuJoCo ") {
			t.Logf("%v\n%s", err, changed)
		}
	}
	t.Logf("%d of %d were refused", refused, tries)
}

// assets are models that refer to a file, and sound contents of it.
func assets() map[string][2]string {
	le := binary.LittleEndian
	floats := func(dst []byte, values ...float32) []byte {
		for _, v := range values {
			dst = le.AppendUint32(dst, math.Float32bits(v))
		}
		return dst
	}
	corners := [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	faces := [][3]int{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}
	stl := le.AppendUint32(make([]byte, 80), uint32(len(faces)))
	for _, f := range faces {
		stl = floats(stl, 0, 0, 1)
		for _, i := range f {
			stl = floats(stl, corners[i][:]...)
		}
		stl = append(stl, 0, 0)
	}
	msh := []byte{}
	for _, n := range []uint32{4, 4, 4, 4} { // vertices, normals, texture coordinates, faces
		msh = le.AppendUint32(msh, n)
	}
	for range 2 {
		for _, c := range corners {
			msh = floats(msh, c[:]...)
		}
	}
	msh = floats(msh, 0, 0, 1, 0, 0, 1, 1, 1)
	for _, f := range faces {
		for _, i := range f {
			msh = le.AppendUint32(msh, uint32(i))
		}
	}
	skin := []byte{}
	for _, n := range []uint32{4, 0, 4, 1} { // vertices, texture coordinates, faces, bones
		skin = le.AppendUint32(skin, n)
	}
	for _, c := range corners {
		skin = floats(skin, c[:]...)
	}
	for _, f := range faces {
		for _, i := range f {
			skin = le.AppendUint32(skin, uint32(i))
		}
	}
	skin = append(skin, append([]byte("b"), make([]byte, 39)...)...)
	skin = floats(skin, 0, 0, 0, 1, 0, 0, 0)
	skin = le.AppendUint32(skin, 4)
	for i := range 4 {
		skin = le.AppendUint32(skin, uint32(i))
	}
	skin = floats(skin, 1, 1, 1, 1)
	field := floats(le.AppendUint32(le.AppendUint32(nil, 2), 3), 0, 1, 2, 3, 4, 5)
	const gmsh = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n" +
		"1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"
	obj := "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvt 0 0\n" +
		"f 1/1/1 3/1/1 2/1/1\nf 1/1/1 2/1/1 4/1/1\nf 1/1/1 4/1/1 3/1/1\nf 2/1/1 3/1/1 4/1/1\n"
	const world = `<worldbody><body name="b"><freejoint/><geom size="1"/></body></worldbody>`
	mesh := func(more string) string {
		return `<mujoco><asset><mesh name="m" file="FILE" ` + more + `/><mesh name="n" file="FILE" scale="2 2 2"/></asset>
			<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m"/><geom type="mesh" mesh="n"/></body>
			</worldbody></mujoco>`
	}
	flex := func(more string) string {
		return `<mujoco><worldbody><body name="b"><geom size="1"/><flexcomp name="f" type="mesh" file="FILE" ` + more +
			`/></body></worldbody></mujoco>`
	}
	return map[string][2]string{
		"a.stl": {mesh(""), string(stl)},
		"b.stl": {mesh(`inertia="exact" maxhullvert="4"`), string(stl)},
		"a.msh": {mesh(""), string(msh)},
		"a.obj": {mesh(`inertia="shell"`), obj},
		"b.obj": {flex(`dim="2"`), obj},
		"b.msh": {strings.Replace(flex(`dim="3"`), `"mesh"`, `"gmsh"`, 1), gmsh},
		"a.skn": {`<mujoco><deformable><skin name="s" file="FILE"/></deformable>` + world + `</mujoco>`, string(skin)},
		"a.bin": {`<mujoco><asset><hfield name="h" file="FILE" size="1 1 1 1"/></asset><worldbody><geom type="hfield"
			hfield="h"/></worldbody></mujoco>`, string(field)},
		"a.png": {`<mujoco><asset><hfield name="h" file="FILE" size="1 1 1 1"/><texture name="t" type="2d" file="FILE"/>
			</asset><worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>`, pngFile(5, 5)},
		"b.png": {`<mujoco><asset><texture name="t" type="cube" file="FILE" gridsize="3 4" gridlayout=".U..LFRB.D.."/>
			</asset>` + world + `</mujoco>`, pngFile(8, 6)},
	}
}

// mutateBytes changes a few places of a file.
func mutateBytes(random *rand.Rand, data string) string {
	b := []byte(data)
	for range 1 + random.IntN(5) {
		if len(b) < 8 {
			return string(b)
		}
		place := random.IntN(len(b) - 4)
		switch random.IntN(7) {
		case 0:
			b[place] ^= 1 << random.IntN(8)
		case 1:
			words := []uint32{1<<32 - 1, 1<<31 - 1, 1 << 31, 0x7fc00000, 0x7f800000, 0, 5, 0xff800000, 0x7f7fffff}
			binary.LittleEndian.PutUint32(b[place&^3:], words[random.IntN(len(words))])
		case 2:
			b = b[:place]
		case 3:
			end := random.IntN(len(b) - 4)
			b = append(b[:min(place, end)], b[max(place, end):]...)
		case 4:
			b = append(b[:place], append(bytes.Clone(b[random.IntN(place+1):place]), b[place:]...)...)
		case 5:
			start := random.IntN(len(b) - 4)
			copy(b[place:], b[start:min(len(b), start+12)])
		case 6:
			a := regexp.MustCompile(`-?\d+`).FindAllIndex(b, -1)
			if len(a) > 0 {
				p := a[random.IntN(len(a))]
				b = append(bytes.Clone(b[:p[0]]), append([]byte(extremes[random.IntN(len(extremes))]), b[p[1]:]...)...)
			}
		}
	}
	return string(b)
}

// Whatever is in a mesh, a picture, a skin or a height field, likewise.
func TestMutatedAssetsLong(t *testing.T) {
	tries, _ := polytest.Cases(t, 50, 100, 1000)
	random := rand.New(rand.NewPCG(27, 4))
	all := assets()
	names := slices.Sorted(maps.Keys(all))
	refused := 0
	for i := range tries {
		name := names[i%len(names)]
		main, data := strings.ReplaceAll(all[name][0], "FILE", name), all[name][1]
		if i >= len(names) {
			data = mutateBytes(random, data)
		}
		m, err := openModel("main.xml", map[string][]byte{"main.xml": []byte(main), name: []byte(data)}, Options{})
		if err == nil {
			polytest.NoError(t, m.Close())
			continue
		}
		if i < len(names) {
			t.Errorf("%s: %v", name, err)
		}
		refused++
		if strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("error %q, want one line", err)
		}
		if strings.Contains(err.Error(), "MuJoCo ") {
			t.Logf("%v: %s\n%q", err, name, data)
		}
	}
	t.Logf("%d of %d were refused", refused, tries)
}

package mujoco

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
	"github.com/polyrhythm-rl/polyrhythm/physics/physicstest"
)

const tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

// pngFile returns a PNG file.
func pngFile(width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err)
	}
	return b.String()
}

// hugePNG returns a PNG file whose header promises many pixels.
func hugePNG() string {
	text := []byte(pngFile(8, 8))
	copy(text[16:24], "\x00\x01\xff\xff\x00\x01\xff\xff")
	return string(text)
}

// rich returns a valid model of several files with much in it.
func rich() map[string]string {
	return map[string]string{
		"main.xml": `<mujoco model="rich">
	<compiler angle="radian" meshdir="assets" texturedir="assets"/>
	<option timestep="0.004" gravity="0 0 -9.8"/>
	<size memory="2M"/>
	<include file="parts.xml"/>
	<default><default class="leg"><joint damping="0.5" armature="0.01"/><geom density="500"/></default></default>
	<worldbody>
		<light name="sun" pos="0 0 3" dir="0 0 -1"/>
		<geom name="ground" type="hfield" hfield="hills"/>
		<camera name="eye" pos="1 1 1" mode="targetbody" target="trunk"/>
		<body name="trunk" pos="0 0 1" quat="1 0 0 0">
			<freejoint name="root"/>
			<geom name="hull" type="mesh" mesh="rock" material="skin" pos="0 0 0.1"/>
			<site name="imu" pos="0 0 0.1"/>
			<body name="thigh" pos="0.1 0 0" childclass="leg">
				<joint name="hip" axis="0 1 0" range="-1 1"/>
				<geom name="bone" type="capsule" fromto="0 0 0 0 0 -0.3" size="0.04"/>
				<body name="shin" pos="0 0 -0.3">
					<joint name="knee" axis="0 1 0" pos="0 0 0"/>
					<geom name="calf" class="leg" type="box" size="0.03 0.03 0.1" friction="1 0.01 0.001"/>
					<site name="toe" pos="0 0 -0.1"/>
				</body>
			</body>
		</body>
		<replicate count="3" offset="0.5 0 0"><body name="ball" pos="2 0 1"><freejoint/><geom size="0.1" mass="0.2"/>
		</body></replicate>
	</worldbody>
	<contact><exclude body1="trunk" body2="thigh"/></contact>
	<equality><joint joint1="hip" joint2="knee" active="false"/></equality>
	<tendon><spatial name="string" range="0 2"><site site="imu"/><site site="toe"/></spatial></tendon>
	<actuator>
		<position name="hip" joint="hip" kp="30" ctrlrange="-1 1"/>
		<motor name="knee" joint="knee" gear="2" ctrlrange="-5 5"/>
		<motor name="pull" tendon="string" gear="1"/>
	</actuator>
	<sensor><gyro name="gyro" site="imu"/><jointpos name="angle" joint="hip"/><touch name="touch" site="toe"/></sensor>
</mujoco>`,
		"parts.xml": `<mujocoinclude>
	<asset>
		<mesh name="rock" file="rock.obj" scale="0.2 0.2 0.2"/>
		<texture name="grain" type="2d" file="grain.png"/>
		<material name="skin" texture="grain" rgba="1 1 1 1"/>
		<hfield name="hills" file="hills.png" size="5 5 0.1 0.1"/>
	</asset>
</mujocoinclude>`,
		"assets/rock.obj":  tetrahedron,
		"assets/grain.png": pngFile(8, 8),
		"assets/hills.png": pngFile(5, 5),
	}
}

// one is a scene of main.xml.
var one = scene.Settings{Models: []scene.Model{{File: "main.xml"}}}

func TestRichModelIsSound(t *testing.T) {
	if w := mustCompile(t, rich(), one).Warnings(); w != "" {
		t.Error(w)
	}
}

// placePattern is a file of the model and a line, or a key.
var placePattern = regexp.MustCompile(`[\w./-]+\.(xml|urdf):\d+: `)

// wantOneLine checks the form of an error about a scene.
func wantOneLine(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Error("compiled, want an error")
	case strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 1000:
		t.Errorf("error %q, want one line", err)
	case !strings.HasPrefix(err.Error(), "scene"):
		t.Errorf("error %q, want the key in front", err)
	case !strings.Contains(err.Error(), want):
		t.Errorf("error %q, want %q in it", err, want)
	}
}

// Each break of a sound model is an error of one line that says where, and leaves nothing open.
func TestMalformedModels(t *testing.T) {
	before := OpenHandles()
	cases := map[string]map[string]string{}
	add := func(name, file, text string) {
		files := rich()
		files[file] = text
		cases[name] = files
	}
	attribute := regexp.MustCompile(`([\w]+)="([^"]*)"`)
	opening := regexp.MustCompile(`<(\w+)`)
	number := regexp.MustCompile(`^[-0-9. ]+$`)
	refers := strings.Fields("site joint joint1 joint2 tendon body1 body2 target mesh material texture hfield " +
		"class childclass file")
	random := rand.New(rand.NewPCG(11, 1))
	for _, file := range []string{"main.xml", "parts.xml"} {
		text := rich()[file]
		for range 40 {
			n := 1 + random.IntN(len(text)-10)
			add(fmt.Sprintf("%s cut at %d", file, n), file, text[:n])
		}
		for _, match := range opening.FindAllStringSubmatchIndex(text, -1) {
			tag := text[match[2]:match[3]]
			// MuJoCo checks no attributes of <include> and in <replicate>
			if tag != "mujocoinclude" && tag != "include" &&
				!strings.Contains(text[strings.LastIndex(text[:match[0]], "\n")+1:match[1]], "<replicate") {
				add(fmt.Sprintf("%s:%d <%s bogus>", file, match[0], tag), file,
					text[:match[3]]+` bogus="1"`+text[match[3]:])
			}
			add(fmt.Sprintf("%s:%d <%s not closed>", file, match[0], tag), file,
				text[:match[0]]+"<bogus>"+text[match[0]:])
		}
		for _, match := range attribute.FindAllStringSubmatchIndex(text, -1) {
			name, value := text[match[2]:match[3]], text[match[4]:match[5]]
			change := func(kind, value string) {
				add(fmt.Sprintf("%s:%d %s %s", file, match[0], name, kind), file, text[:match[4]]+value+text[match[5]:])
			}
			if number.MatchString(value) {
				change("NaN", strings.Replace(value, strings.Fields(value)[0], "nan", 1))
				change("word", "word")
				change("too large", "1e999")
			}
			if slices.Contains(refers, name) && !(name == "class" && value == "leg" &&
				strings.Contains(text[match[0]-9:match[0]], "default")) {
				change("to nothing", "nosuch")
			}
			if name == "file" {
				change("outside", "../../../../etc/hostname")
				change("a folder", ".")
				change("absolute", "/etc/hostname")
			}
		}
	}
	t.Logf("%d cases", len(cases))
	if len(cases) < 300 {
		t.Errorf("%d cases, want 300", len(cases))
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			_, err := compileFiles(t, cases[name], one)
			wantOneLine(t, err, "")
			if err != nil && !placePattern.MatchString(err.Error()) {
				t.Errorf("error %q, want file and line", err)
			}
		})
	}
	polytest.Equal(t, OpenHandles(), before, "handles are open")
}

// Models that would run away, or lead out of their folder.
func TestHostileModels(t *testing.T) {
	const tooLarge = "main.xml: it takes more than 1024 MB of memory to compile (scene.memory_mb)"
	world := func(inside string) string { return "<mujoco><worldbody>" + inside + "</worldbody></mujoco>" }
	asset := func(inside string) string { return "<mujoco>\n<asset>" + inside + "</asset></mujoco>" }
	const hinge = `<body name="b"><joint name="j"/><geom size=".1"/></body>`
	for name, c := range map[string]struct {
		want, main string
		files      map[string]string // beside main.xml
	}{
		"empty":          {"no element", "", nil},
		"not XML":        {"no element", "hello", nil},
		"binary":         {"", "\x7fELF\x00\x01<\xff\xfe", nil},
		"another XML":    {"<svg>", "<svg/>", nil},
		"deep":           {"nested", "<mujoco>" + strings.Repeat("<body>", 100_000), nil},
		"comment":        {"comment", "<mujoco><!-- never closed", nil},
		"crossed":        {"</body>", world("<body><frame></body></frame>"), nil},
		"no quotes":      {"quotes", world("<body name=x/>"), nil},
		"include itself": {"included", `<mujoco><include file="main.xml"/></mujoco>`, nil},
		"include cycle": {"b.xml:1", `<mujoco><include file="a.xml"/></mujoco>`,
			map[string]string{"a.xml": `<m><include file="b.xml"/></m>`, "b.xml": `<m><include file="./a.xml"/></m>`}},
		"include twice": {"main.xml:2", "<mujoco>\n<include file='a.xml'/>\n<include file='./a.xml'/></mujoco>",
			map[string]string{"a.xml": "<m><worldbody/></m>"}},
		"include nothing": {"nothing", `<mujoco><include file="a.xml"/></mujoco>`, map[string]string{"a.xml": `<m/>`}},
		"include without": {"file", `<mujoco><include/></mujoco>`, nil},
		"include missing": {"main.xml:2", "<mujoco>\n<include file='scene.xml'/></mujoco>", nil},
		"include outside": {"allow_outside", `<mujoco><include file="/etc/hostname"/></mujoco>`, nil},
		"include broken": {"a.xml:2", `<mujoco><include file="a.xml"/></mujoco>`,
			map[string]string{"a.xml": "<m>\n<worldbody>"}},
		"in include": {"a.xml:2", `<mujoco><include file="a.xml"/></mujoco>`,
			map[string]string{"a.xml": "<m>\n<worldbody><body nam='x'/></worldbody></m>"}},
		"attach itself": {"attaches itself", asset(`<model name="m" file="main.xml"/>`), nil},
		"attach cycle": {"attaches itself", asset(`<model name="m" file="a.xml"/>`),
			map[string]string{"a.xml": asset(`<model name="m" file="main.xml"/>`)}},
		"attach own parent": {"itself", world(`<body name="a"><geom size="1"/><attach body="a" prefix="x"/></body>`), nil},
		"attach missing":    {"a.xml", asset(`<model name="m" file="a.xml"/>`), nil},
		"replicate":         {"objects", world(`<replicate count="1000000000"><geom size="1"/></replicate>`), nil},
		"replicate nested": {"objects", world(strings.Repeat(`<replicate count="10">`, 12) + `<geom size="1"/>` +
			strings.Repeat(`</replicate>`, 12)), nil},
		"replicate include": {"objects", world(`<replicate count="30000"><include file="a.xml"/></replicate>`),
			map[string]string{"a.xml": `<m><geom size="1"/><geom size="1"/></m>`}},
		"replicate 1e300": {"", world(`<replicate count="1e300"><geom size="1"/></replicate>`), nil},
		"flexcomp": {"objects", world(`<body name="b">
			<flexcomp name="f" type="grid" count="1000 1000 1000" spacing=".1 .1 .1"/></body>`), nil},
		"flexcomp file": {"allow_outside",
			world(`<body name="b"><flexcomp name="f" type="mesh" file="/etc/hostname"/></body>`), nil},
		"builtin mesh": {"vertices", asset(`<mesh name="m" builtin="supertorus" params="100000 .2 1 1"/>`), nil},
		"texture": {"main.xml:2: Could not allocate memory for texture",
			asset(`<texture name="t" type="2d" builtin="checker" width="50000" height="50000"/>`), nil},
		"texture default": {"", asset(`<texture name="t" type="cube" builtin="flat" width="2000000000" height="12"/>`),
			nil},
		"huge picture": {"main.xml:2", asset(`<texture name="t" type="2d" file="a.png"/>`),
			map[string]string{"a.png": hugePNG()}},
		"broken picture": {"main.xml:2", asset(`<texture name="t" type="2d" file="a.png"/>`),
			map[string]string{"a.png": pngFile(8, 8)[:40]}},
		"hfield": {tooLarge, asset(`<hfield name="h" nrow="20000" ncol="20000" size="1 1 1 1"/>`), nil},
		"huge hfield": {"main.xml:2", asset(`<hfield name="h" file="a.png" size="1 1 1 1"/>`),
			map[string]string{"a.png": hugePNG()}},
		"broken hfield": {"main.xml:2", asset(`<hfield name="h" file="a.bin" size="1 1 1 1"/>`),
			map[string]string{"a.bin": "\xff\xff\xff\x7f\xff\xff\xff\x7f"}},
		"empty mesh": {"no bytes", asset(`<mesh name="m" file="a.stl"/>`), map[string]string{"a.stl": ""}},
		"broken mesh": {"main.xml:2", asset(`<mesh name="m" file="a.stl"/>`),
			map[string]string{"a.stl": "solid nothing"}},
		"mesh of many faces": {"main.xml:2", asset(`<mesh name="m" file="a.stl"/>`),
			map[string]string{"a.stl": strings.Repeat(" ", 80) + "\xff\xff\xff\x7f" + strings.Repeat("x", 500)}},
		"mesh without volume": {"main.xml:2", "<mujoco>\n<asset><mesh name='m' file='a.obj'/></asset><worldbody><body>" +
			"<freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
			map[string]string{"a.obj": "v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n"}},
		"mesh of NaN": {"main.xml:2", asset(`<mesh name="m" file="a.obj"/>`),
			map[string]string{"a.obj": strings.ReplaceAll(tetrahedron, "1", "nan")}},
		"mesh of no kind":  {"main.xml:2", asset(`<mesh name="m" file="a.dae"/>`), map[string]string{"a.dae": "x"}},
		"mesh is a folder": {"regular", asset(`<mesh name="m" file="a.stl"/>`), map[string]string{"a.stl/x": "x"}},
		"mesh by URL":      {"package://", asset(`<mesh name="m" file="package://robot/a.stl"/>`), nil},
		"skin": {"main.xml:1", `<mujoco><deformable><skin name="s" file="a.skn"/></deformable></mujoco>`,
			map[string]string{"a.skn": "\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f"}},
		"memory":    {tooLarge, `<mujoco><size memory="8000G"/>` + hinge + `</mujoco>`, nil},
		"nkey":      {"main.xml:1: <size> makes 1e+08 objects, want at most", `<mujoco><size nkey="100000000"/></mujoco>`, nil},
		"nuserdata": {tooLarge, `<mujoco><size nuserdata="2000000000"/></mujoco>`, nil},
		"nuser": {tooLarge,
			`<mujoco><size nuser_geom="200000000"/><worldbody><geom size="1"/></worldbody></mujoco>`, nil},
		"njmax":       {tooLarge, `<mujoco><size njmax="100000000"/></mujoco>`, nil},
		"user sensor": {tooLarge, `<mujoco><sensor><user name="s" dim="1000000000"/></sensor></mujoco>`, nil},
		"samples": {"main.xml:1: at most 2^24 samples", `<mujoco><worldbody>` + hinge +
			`</worldbody><actuator><motor name="a" joint="j" delay="1" nsample="1000000000"/></actuator></mujoco>`, nil},
		"length range": {"lengthrange",
			`<mujoco><compiler><lengthrange mode="all" timestep="1e-9"/></compiler><worldbody>` + hinge +
				`</worldbody><actuator><motor joint="j"/></actuator></mujoco>`, nil},
		"nstack":  {tooLarge, `<mujoco><size nstack="2000000000"/></mujoco>`, nil},
		"no mass": {"in 'b'; want an <inertial> in this <body>", world(`<body name="b"><freejoint/></body>`), nil},
		"repeated": {"main.xml:2: repeated name 'b' in <body>, which line 1 has too; want different names",
			world(hinge + "\n" + hinge), nil},
		"repeated actuator": {"main.xml:2: repeated name 'm' in <position>, which line 1 has too", `<mujoco><worldbody>` +
			hinge + "</worldbody><actuator><motor name='m' joint='j'/>\n<position name='m' joint='j'/></actuator></mujoco>", nil},
		"repeated in a file": {"main.xml:1 has too; want different names",
			`<mujoco><keyframe><key name="k"/></keyframe><include file="a.xml"/></mujoco>`,
			map[string]string{"a.xml": `<m><keyframe><key name="k"/></keyframe></m>`}},
		"sleep": {`main.xml:2: <flag sleep="enable"/> has memory that is no part of the state of a world, want sleep="disa`,
			"<mujoco><option>\n<flag sleep='enable'/></option><worldbody>" + hinge + "</worldbody></mujoco>", nil},
		"keyframe": {"qpos", `<mujoco><worldbody>` + hinge +
			`</worldbody><keyframe><key name="k" qpos="1 2 3"/></keyframe></mujoco>`, nil},
		"entities": {"", `<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><mujoco model="&b;"><legs/></mujoco>`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"main.xml": c.main}
			maps.Copy(files, c.files)
			_, err := compileFiles(t, files, one)
			wantOneLine(t, err, c.want)
			if err != nil && !strings.Contains(err.Error(), ".xml:") && !strings.Contains(err.Error(), ".xml of") {
				t.Errorf("error %q, want file and line", err)
			}
		})
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err == nil && usage.Maxrss > 3<<20 &&
		!physicstest.AddressSanitizer {
		t.Errorf("the process took %d MB", usage.Maxrss>>10)
	}
}

// Links of a URDF file whose masses and inertias no body has get what a body can have, and a note says so. Those of MJCF
// are refused, as its compiler can be told to repair them.
func TestInertiasAreRepaired(t *testing.T) {
	const inertial = `<inertial><mass value="%s"/><inertia ixx="%s" iyy="%s" izz="%s" ixy="%s" ixz="0" iyz="0"/></inertial>`
	plain := fmt.Sprintf(inertial, "1", "1", "1", "1", "0")
	for link, want := range map[string]struct {
		mass    float64
		moments [3]float64 // MuJoCo's order: the largest first
		note    string
	}{
		plain: {1, [3]float64{1, 1, 1}, ""},
		fmt.Sprintf(inertial, "1", "1", "1", "2", "0"): {1, [3]float64{2, 1, 1}, ""}, // flat, as far as a body can be
		// the second moments are 4.5, 4.5 and −3.5
		fmt.Sprintf(inertial, "1", "1", "1", "9", "0"): {1, [3]float64{9, 4.5, 4.5}, "no body has the inertia of link leg, "},
		// the moments are 3, −1 and 1, and the second moments of mass −1.5, 2.5 and 0.5
		fmt.Sprintf(inertial, "1", "1", "1", "1", "2"): {1, [3]float64{3, 2.5, 0.5}, "no body has the inertia of link leg, "},
		"": {leastMass, [3]float64{1e-6, 1e-6, 1e-6}, "link leg can move without mass or inertia; "},
		fmt.Sprintf(inertial, "2", "0", "0", "0", "0"): {2, [3]float64{2e-3, 2e-3, 2e-3},
			"link leg can move without mass or inertia; "},
	} {
		files := map[string]string{"arm.urdf": `<robot name="r"><link name="base"/><link name="leg">` + link + `</link>
			<joint name="j" type="continuous"><parent link="base"/><child link="leg"/></joint></robot>`,
			"first.xml": `<mujoco/>`}
		s := scene.Settings{Models: []scene.Model{{File: "first.xml"}, {File: "arm.urdf", Prefix: "arm_"}}}
		want.note = strings.Replace(want.note, "leg", "arm_leg", 1)
		for range 2 {
			m := mustCompile(t, files, s)
			body := s.Models[len(s.Models)-1].Prefix + "leg"
			mass := polytest.Must(m.Constant("body_mass"))(t)
			moments := polytest.Must(m.Constant("body_inertia"))(t)
			leg := slices.IndexFunc(m.Describe().Bodies, func(b Body) bool { return b.Name == body })
			if off := math.Abs(mass[leg] - want.mass); off > 1e-9*want.mass {
				t.Errorf("%s: mass %v, want %v", link, mass[leg], want.mass)
			}
			for i, x := range want.moments {
				if got := moments[3*leg+i]; math.Abs(got-x) > 0.01*want.moments[0] {
					t.Errorf("%s: moments %v, want %v", link, moments[3*leg:3*leg+3], want.moments)
					break
				}
			}
			if got := strings.Join(m.Notes(), "; "); !strings.Contains(got, want.note) || (got == "") != (want.note == "") {
				t.Errorf("%s: notes %q, want %q", link, got, want.note)
			}
			s.Models = []scene.Model{{File: "arm.urdf"}}
			want.note = strings.Replace(want.note, "arm_leg", "leg", 1)
		}
	}
	_, err := compileFiles(t, map[string]string{"main.xml": `<mujoco><worldbody><body><joint/>
		<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body></worldbody></mujoco>`},
		scene.Settings{Models: []scene.Model{{File: "main.xml"}}})
	wantOneLine(t, err, "inertia must satisfy A + B >= C; use 'balanceinertia' to fix")
}

// A mesh in a format that MuJoCo does not read is named with its place and what to do.
func TestMeshOfAnotherFormat(t *testing.T) {
	_, err := compileFiles(t, map[string]string{"meshes/hull.dae": "<COLLADA/>", "main.urdf": `<robot name="r">
<link name="base"><collision><geometry>
<mesh filename="meshes/hull.dae"/></geometry></collision></link></robot>`},
		scene.Settings{Models: []scene.Model{{File: "main.urdf"}}})
	wantOneLine(t, err, "main.urdf:3: MuJoCo does not read ")
	wantOneLine(t, err, "hull.dae; convert the mesh to STL or OBJ")
}

// Two files with a name: both places are said, and that a prefix parts them.
func TestOneNameInTwoModels(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a", "b"} {
		files[name+".xml"] = `<mujoco><worldbody><body name="` + name + `"><joint name="` + name + `"/><geom size=".1"/>
			</body></worldbody><keyframe><key name="home" qpos="0"/></keyframe></mujoco>`
	}
	s := scene.Settings{Models: []scene.Model{{File: "a.xml"}, {File: "b.xml"}}}
	_, err := compileFiles(t, files, s)
	wantOneLine(t, err, "b.xml:2: repeated name 'home' in <key>, which ")
	wantOneLine(t, err, "a.xml:2 has too; want different names, or a prefix for one of the models, scene.models[N].prefix")
	s.Models[1].Prefix = "other_"
	mustCompile(t, files, s)
}

// What compiling takes is measured: the same model is refused by a lower limit and compiled under a higher one.
func TestMemoryOfCompilingIsMeasured(t *testing.T) {
	before := OpenHandles()
	files := map[string]string{"main.xml": `<mujoco><asset><hfield name="h" nrow="3000" ncol="3000" size="1 1 1 1"/></asset>
		<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>`}
	s := one
	s.MemoryMB = 16
	_, err := compileFiles(t, files, s)
	wantOneLine(t, err, "main.xml: it takes more than 16 MB of memory to compile (scene.memory_mb)")
	s.MemoryMB = 512
	polytest.NoError(t, mustCompile(t, files, s).Close())
	polytest.Equal(t, OpenHandles(), before, "handles are open")
}

// Memory that the process has had before, and that C keeps for the next allocation, is counted when it is used again.
func TestMemoryThatIsUsedAgainIsMeasured(t *testing.T) {
	files := map[string]string{"main.xml": `<mujoco><asset><hfield name="h" nrow="2800" ncol="2800" size="1 1 1 1"/></asset>
		<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>`}
	s := one
	runtime.LockOSThread() // each thread has memory of its own
	defer runtime.UnlockOSThread()
	s.MemoryMB = 512
	for range 4 {
		polytest.NoError(t, mustCompile(t, files, s).Close())
	}
	s.MemoryMB = 16
	_, err := compileFiles(t, files, s)
	wantOneLine(t, err, "main.xml: it takes more than 16 MB of memory to compile (scene.memory_mb)")
}

// What compiling does not allocate is not counted: sizes of pictures, which whatever draws sets itself, and a stack
// beyond its numbers, however many objects there are.
func TestSizesThatCompilingDoesNotAllocate(t *testing.T) {
	geoms := strings.Repeat(`<geom size="1"/>`, 300)
	main := `<mujoco><size nstack="600000"/><visual><quality shadowsize="100000" offsamples="24"/>` +
		`<global offwidth="100000" offheight="100000"/></visual><worldbody>` + geoms + `</worldbody></mujoco>`
	m, err := compileFiles(t, map[string]string{"main.xml": main}, scene.Settings{Models: []scene.Model{{File: "main.xml"}}})
	polytest.NoError(t, err)
	polytest.NoError(t, m.Close())
}

// Wrong settings name their key.
func TestWrongScenes(t *testing.T) {
	files := map[string]string{"main.xml": oneLeg,
		"two/table.xml": `<mujoco><worldbody><body name="table"><geom size="1"/></body></worldbody></mujoco>`}
	nan := []float64{0}
	for name, c := range map[string]struct {
		want string
		s    scene.Settings
	}{
		"no models":   {"scene.models is 0, want 1 to 64", scene.Settings{}},
		"no file":     {`scene.models[0].file is ""`, scene.Settings{Models: []scene.Model{{}}}},
		"missing":     {"scene.models[0].file: ", scene.Settings{Models: []scene.Model{{File: "none.xml"}}}},
		"a folder":    {"scene.models[0].file: ", scene.Settings{Models: []scene.Model{{File: "two"}}}},
		"zero byte":   {"scene.models[0].file is", scene.Settings{Models: []scene.Model{{File: "a\x00b"}}}},
		"moved first": {"scene.models[0] has", scene.Settings{Models: []scene.Model{{File: "main.xml", Prefix: "x"}}}},
		"far away": {"scene.models[1].position[0] is 1e+09",
			scene.Settings{Models: []scene.Model{{File: "main.xml"}, {File: "main.xml", Position: [3]float64{1e9}}}}},
		"same names": {"repeated name", scene.Settings{Models: []scene.Model{{File: "main.xml"}, {File: "main.xml"}}}},
		"free twice": {"scene.models[0]: free is true",
			scene.Settings{Models: []scene.Model{{File: "main.xml", Free: true}}}},
		"no joint": {`scene.actuators[0].joints[0]: unknown hinge or slide joint "hup": the nearest known one is "hip"`,
			actuated(scene.Actuators{Joints: []string{"hup"}, KP: 1})},
		"no patterns": {"scene.actuators[0].joints is 0, want 1 to", actuated(scene.Actuators{KP: 1})},
		"no pattern":  {"scene.actuators[0].joints[0] is", actuated(scene.Actuators{Joints: []string{"(hip"}, KP: 1})},
		"two halves":  {"scene.actuators[0].joints[0] is", actuated(scene.Actuators{Joints: []string{"a)|(b"}, KP: 1})},
		"no kp": {"scene.actuators[0].kp is 0, want more than 0",
			actuated(scene.Actuators{Joints: []string{"hip"}})},
		"kp of effort": {"scene.actuators[0].kp is 1, want none",
			actuated(scene.Actuators{Joints: []string{"hip"}, Type: scene.Effort, KP: 1})},
		"no kd": {"scene.actuators[0].kd is 0, want more than 0",
			actuated(scene.Actuators{Joints: []string{"hip"}, Type: scene.Velocity})},
		"negative effort": {"scene.actuators[0].effort is -1, want 0 to",
			actuated(scene.Actuators{Joints: []string{"hip"}, KP: 1, Effort: -1})},
		"no limit of a motor": {"scene.actuators[0].effort is 0, want more than 0",
			actuated(scene.Actuators{Joints: []string{"hip"}, KP: 1, Type: scene.DCMotor})},
		"speed of a servo": {"saturation_effort and velocity_limit are 0 and 2, want none with type: position",
			actuated(scene.Actuators{Joints: []string{"hip"}, KP: 1, VelocityLimit: 2})},
		"very late": {"scene.actuators[0].delay is 30s, want 0",
			actuated(scene.Actuators{Joints: []string{"hip"}, KP: 1, Delay: 30e9})},
		"one limit": {"scene.actuators[0].limits is a list of 1",
			actuated(scene.Actuators{Joints: []string{"hip"}, KP: 1, Limits: nan})},
		"limits backwards": {"scene.actuators[0].limits is [1, -1]",
			actuated(scene.Actuators{Joints: []string{"hip"}, KP: 1, Limits: []float64{1, -1}})},
		"type": {`scene.actuators[0].type is "servo", want position, velocity, effort, dc_motor, thrust or learned`,
			actuated(scene.Actuators{Joints: []string{"hip"}, KP: 1, Type: "servo"})},
		"nothing added": {"scene.actuators[1] adds nothing", actuated(scene.Actuators{Joints: []string{".*"}, KP: 1},
			scene.Actuators{Joints: []string{"hip"}, KP: 1})},
		"no memory": {"scene.memory_mb", scene.Settings{Models: one.Models, MemoryMB: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compileFiles(t, files, c.s)
			wantOneLine(t, err, c.want)
		})
	}
}

func actuated(a ...scene.Actuators) scene.Settings {
	return scene.Settings{Models: one.Models, Actuators: a}
}

// A file outside the model's folder is refused, also through a symbolic link, unless it is allowed.
func TestOutside(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"robot/xml/main.xml":    `<mujoco><asset><mesh name="m" file="../meshes/a.obj"/></asset></mujoco>`,
		"robot/xml/linked.xml":  `<mujoco><asset><mesh name="m" file="link/a.obj"/></asset></mujoco>`,
		"robot/xml/include.xml": `<mujoco><include file="../parts.xml"/></mujoco>`,
		"robot/parts.xml":       `<m><worldbody/></m>`,
		"robot/meshes/a.obj":    tetrahedron,
	} {
		path := filepath.Join(folder, name)
		polytest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		polytest.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	polytest.NoError(t, os.Symlink("../meshes", filepath.Join(folder, "robot/xml/link")))
	for _, name := range []string{"main", "linked", "include"} {
		s := scene.Settings{Models: []scene.Model{{File: "robot/xml/" + name + ".xml"}}}
		_, err := Compile(s, folder, Options{})
		wantOneLine(t, err, "scene.allow_outside")
		s.AllowOutside = true
		m, err := Compile(s, folder, Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		m.Close()
	}
}

// Whatever the text of a model and of what it includes, compiling it as a scene ends in a
// model or an error of one line.
func FuzzCompile(f *testing.F) {
	files := rich()
	f.Add(files["main.xml"], files["parts.xml"], files["assets/rock.obj"])
	f.Add(`<mujoco><include file="parts.xml"/></mujoco>`, "<m><worldbody/></m>", "")
	f.Add(`<mujoco><size nkey="3" memory="1M"/><keyframe><key name="a" qpos="1"/></keyframe></mujoco>`, "", "")
	f.Add(`<mujoco><asset><model name="p" file="parts.xml"/></asset><worldbody><attach model="p" prefix="x"/>
		</worldbody></mujoco>`, oneLeg, "v")
	f.Add(`<robot name="r"><link name="a"><collision><geometry><mesh filename="package://assets/rock.obj"/></geometry>
		</collision></link></robot>`, "", tetrahedron)
	f.Fuzz(func(t *testing.T, text, parts, mesh string) {
		files := rich()
		files["main.xml"], files["parts.xml"], files["assets/rock.obj"] = text, parts, mesh
		m, err := compileFiles(t, files, one)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %q, want one line", err)
			}
			return
		}
		m.Describe()
		s, err := m.NewStepper(1, physics.Outputs{})
		if err != nil {
			return
		}
		defer s.Close()
		rows := physics.NewRows(m, 1, physics.Outputs{}, 2)
		s.Forward(rows, []int32{0})
		s.Step(rows, []int32{0}, []int32{1})
	})
}

// Models with random parts missing, doubled or replaced compile or end in an error of one line.
func TestRandomModelsLong(t *testing.T) {
	tries, _ := polytest.Cases(t, 50, 100, 1000)
	random := rand.New(rand.NewPCG(11, 2))
	for range tries {
		files := rich()
		for _, name := range []string{"main.xml", "parts.xml", "assets/rock.obj"} {
			for range random.IntN(4) {
				files[name] = mutate(random, files[name])
			}
		}
		m, err := compileFiles(t, files, one)
		if err == nil {
			m.Describe()
		} else if strings.ContainsAny(err.Error(), "\n\r") || !strings.HasPrefix(err.Error(), "scene") {
			t.Errorf("error %q, want one line with the key in front; model\n%s", err, files["main.xml"])
		}
	}
}

var token = regexp.MustCompile(`"[^"]*"|<[^>]*>|\w+`)

// mutate replaces one token of a text by another, by a value of note or by nothing.
func mutate(random *rand.Rand, text string) string {
	values := []string{`"0"`, `"-1"`, `"1e30"`, `"1e-30"`, `"1000000000"`, `"inf"`, `"leg"`, `"hip"`, `""`, `"mesh"`,
		`"true"`,
		`"1 2 3 4 5 6 7 8 9"`, `"plane"`, "<body>", "</body>", "<geom/>", `"100"`, `"0 0 0"`, ""}
	tokens := token.FindAllStringIndex(text, -1)
	if len(tokens) == 0 {
		return text
	}
	a, b := tokens[random.IntN(len(tokens))], tokens[random.IntN(len(tokens))]
	replacement := values[random.IntN(len(values))]
	if random.IntN(2) == 0 {
		replacement = text[b[0]:b[1]]
	}
	return text[:a[0]] + replacement + text[a[1]:]
}

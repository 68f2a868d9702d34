package mujoco

// #include "shim.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What MuJoCo's messages end with, after oneLine.
var (
	byElement    = regexp.MustCompile(`^(.*?);? *Element '([^']*)', line (-?\d+)$`)
	byName       = regexp.MustCompile(`^(.*?);? *Element name '([^']*)', id -?\d+(?:, line (-?\d+))?$`)
	repeatedName = regexp.MustCompile(`repeated name '([^']*)' in (\w+).*`)
	massless     = regexp.MustCompile(`mass and inertia of moving bodies must be larger than mjMINVAL`)
	inertia      = regexp.MustCompile(`inertia must satisfy A \+ B >= C; use 'balanceinertia' to fix`)
	eigenvalues  = regexp.MustCompile(`inertia must have positive eigenvalues`)
	progress     = regexp.MustCompile(`(?:; The [a-z ]+ of the spec were [a-z]+ before this error, and remain so\.)+$`)
	quotedText   = regexp.MustCompile(`'([^']*)'`)
	decoder      = regexp.MustCompile(`^no decoder found for mesh file '([^']*)'.*`)
	opening      = regexp.MustCompile(`[Ee]rror opening file '([^']*)'`)
)

type origin struct {
	*tree
	prefix string
}

// hasLink reports whether a link of a URDF file has a name in the scene.
func (o origin) hasLink(name string) bool {
	inFile, ok := strings.CutPrefix(name, o.prefix)
	return ok && name != "" && o.find(func(e *element) bool { return e.tag == "link" && e.attr("name") == inFile }) != nil
}

// isURDF reports whether the file is in URDF, not in MJCF.
func (o *origin) isURDF() bool { return o.documents[0].root.tag == "robot" }

// explain returns an error of MuJoCo's with the file and the line that it is about in
// front. MuJoCo gives line 0 for what was included, and never the file. A crash, and an
// error in a scene without files, stay as they are.
func explain(origins []origin, err error) error {
	if errors.As(err, new(crash)) || len(origins) == 0 {
		return err
	}
	message := strings.ReplaceAll(err.Error(), "XML Error: ", "")
	message = strings.TrimPrefix(message, "Error: ")
	message = strings.TrimPrefix(message, "Error: ")
	message = progress.ReplaceAllString(message, "")
	text, e, line := message, (*element)(nil), 0
	if m := byElement.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[3])
		text = fmt.Sprintf("%s in <%s>", m[1], m[2])
		e = findIn(origins, func(x *element, _ string) bool { return x.tag == m[2] && x.line == line })
		if e == nil {
			e = findIncluded(origins, m[2], message)
		}
	} else if m := byName.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[3])
		if text = m[1]; m[2] != "" && !strings.Contains(text, "'"+m[2]+"'") {
			text = fmt.Sprintf("%s in '%s'", text, m[2])
		}
		ofBody := massless.MatchString(text) || inertia.MatchString(text)
		matches := func(x *element, prefix string) bool {
			return m[2] != "" && prefix+x.attr("name") == m[2] && (!ofBody || x.tag == "body" || x.tag == "link")
		}
		e = findIn(origins, func(x *element, prefix string) bool { return matches(x, prefix) && x.line == line })
		if e == nil {
			e = findIn(origins, matches)
		}
	}
	if m := repeatedName.FindStringSubmatch(text); m != nil {
		if first, last := findNamed(origins, m[2], m[1]); last != nil && last != first {
			other := first.place()
			if first.doc == last.doc {
				other = fmt.Sprintf("line %d", first.line)
			}
			e, text = last, fmt.Sprintf("repeated name '%s' in <%s>, which %s has too; want different names", m[1],
				last.tag, other)
			if len(origins) > 1 {
				text += ", or a prefix for one of the models, scene.models[N].prefix"
			}
		}
	}
	if m := opening.FindStringSubmatch(message); m != nil && e == nil {
		e = findIn(origins, func(x *element, _ string) bool {
			return cmp.Or(x.attr("file"), x.attr("filename")) == m[1]
		})
	}
	if m := decoder.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("MuJoCo does not read %s; convert the mesh to STL or OBJ", m[1])
		e = cmp.Or(findIn(origins, func(x *element, _ string) bool {
			name := cmp.Or(x.attr("file"), x.attr("filename"))
			return name != "" && filepath.Base(clean(name)) == filepath.Base(clean(m[1]))
		}), e)
	}
	if e != nil {
		return e.errorf("%s", withRemedy(e, text))
	}
	place := origins[0].documents[0].path
	if line > 0 {
		place = fmt.Sprintf("%s:%d", place, line)
	}
	return fmt.Errorf("%s: %s", place, text)
}

func findIn(origins []origin, f func(e *element, prefix string) bool) *element {
	for _, o := range origins {
		if e := o.find(func(e *element) bool { return f(e, o.prefix) }); e != nil {
			return e
		}
	}
	return nil
}

// findIncluded returns the first included element with a tag that a message without a line
// may be about: where the message names an attribute and a value, with these.
func findIncluded(origins []origin, tag, message string) *element {
	words := quotedText.FindAllStringSubmatch(message, -1)
	return findIn(origins, func(x *element, _ string) bool {
		if x.tag != tag || x.doc == origins[0].documents[0] {
			return false
		}
		for _, word := range words {
			matches := func(a attr) bool { return a.name == word[1] || a.value == word[1] }
			if word[1] != tag && !slices.ContainsFunc(x.attrs, matches) {
				return false
			}
		}
		return true
	})
}

// withRemedy adds to a message about an element what there is to do, where MuJoCo's words do not say it.
func withRemedy(e *element, message string) string {
	const inertial = `<inertial> with <mass value="…"/> and <inertia ixx="…" iyy="…" izz="…" …/>`
	switch urdf := e.tag == "link"; {
	case massless.MatchString(message) && urdf:
		return message + "; want an " + inertial + " in this <link>, or a joint of type fixed"
	case massless.MatchString(message) && e.tag == "body":
		return message + `; want an <inertial> in this <body>, a <geom> with a mass, or no joint`
	case inertia.MatchString(message) && urdf:
		return message + `, as <mujoco><compiler balanceinertia="true"/></mujoco> in <robot>`
	}
	return message
}

// findNamed returns the first and the last element of a kind with a name, which are one if there is one; nil if none.
func findNamed(origins []origin, kind, name string) (first, last *element) {
	found := func(e *element, prefix string) {
		if prefix+e.attr("name") == name {
			first, last = cmp.Or(first, e), e
		}
	}
	findIn(origins, func(e *element, prefix string) bool {
		switch {
		case e.tag != kind && !(kind == "joint" && e.tag == "freejoint") && !(kind == "body" && e.tag == "link"):
		case slices.Contains([]string{"actuator", "sensor", "tendon", "equality"}, kind): // a list of various elements
			for _, child := range e.children {
				found(child, prefix)
			}
		default:
			found(e, prefix)
		}
		return false
	})
	return first, last
}

// checkStepping returns an error for what the worlds of a model cannot do: what it remembers is no part of their state.
func checkStepping(origins []origin, flags C.int) error {
	for _, c := range []struct {
		flag C.int
		name string
	}{{C.mjENBL_SLEEP, "sleep"}, {C.mjENBL_IPC, "ipc"}} {
		if flags&c.flag == 0 {
			continue
		}
		problem := fmt.Sprintf(
			`<flag %s="enable"/> has memory that is no part of the state of a world, want %[1]s="disable"`, c.name)
		sets := func(e *element, _ string) bool { return e.tag == "flag" && e.attr(c.name) == "enable" }
		if e := findIn(origins, sets); e != nil {
			return e.errorf("%s", problem)
		}
		return errors.New(problem)
	}
	return nil
}

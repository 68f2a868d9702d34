// Package decode reads YAML strictly into Go structs: keys must be known, values must have exactly the type of their
// field, and every error is one line that begins with the key. The keys of a struct are those of its yaml tags.
package decode

import (
	"bytes"
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// Parse parses one YAML value; nil for an empty document. The result consists of bool, int, uint64, float64,
// string, []any and map[string]any; a number without a fraction is an int, and a null entry of a mapping is not there.
// Keys in errors begin with path.
func Parse(path string, data []byte) (any, error) {
	value, _, err := Document(path, data)
	return WithoutNull(value), err
}

// Document is [Parse] that keeps null entries of mappings, and also returns the node of the text, which has the order
// of keys; see [At] and [Keys].
func Document(path string, data []byte) (value any, text *yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	text = new(yaml.Node)
	if err = dec.Decode(text); err == nil {
		err = text.Decode(&value)
	}
	if err != nil && err != io.EOF {
		return nil, nil, Errorf(path, "%s", strings.Join(strings.Fields(err.Error()), " "))
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		return nil, nil, Errorf(path, "want one YAML document, got more than one")
	}
	if err := checkZeros(path, text); err != nil {
		return nil, nil, err
	}
	value, err = Clean(path, value)
	return value, text, err
}

// plain returns the node that a document or an alias stands for.
func plain(node *yaml.Node) *yaml.Node {
	switch {
	case node == nil:
		return nil
	case node.Kind == yaml.DocumentNode && len(node.Content) > 0:
		return plain(node.Content[0])
	case node.Kind == yaml.AliasNode:
		return node.Alias
	}
	return node
}

// At returns the value of a key of a mapping; nil if there is none.
func At(mapping *yaml.Node, key string) *yaml.Node {
	if mapping = plain(mapping); mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// Keys returns the keys of a mapping in the order of its text.
func Keys(mapping *yaml.Node) (keys []string) {
	if mapping = plain(mapping); mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		keys = append(keys, mapping.Content[i].Value)
	}
	return keys
}

// WithoutNull returns a value from [Document] or [Clean] without the null entries of its mappings. What it returns shares
// no mapping and no list with the value.
func WithoutNull(value any) any {
	switch v := value.(type) {
	case map[string]any:
		tree := make(map[string]any, len(v))
		for key, item := range v {
			if item != nil {
				tree[key] = WithoutNull(item)
			}
		}
		return tree
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = WithoutNull(item)
		}
		return list
	}
	return value
}

// leadingZero matches a whole number that is octal in YAML 1.1 and decimal in YAML 1.2.
var leadingZero = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

// ErrLeadingZero is what is wrong with a number such as 010.
var ErrLeadingZero = errors.New("want a whole number without a leading 0, which would make it octal")

// LeadingZero reports whether a whole number is octal to some and decimal to others.
func LeadingZero(number string) bool { return leadingZero.MatchString(number) }

// checkZeros returns an error for a number of a value in YAML that has a leading zero. Keys in errors begin with path.
func checkZeros(path string, node *yaml.Node) error {
	switch tag := node.ShortTag(); {
	case node.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float") && LeadingZero(node.Value):
		return errors.New(strings.TrimSpace(fmt.Sprintf("%s is %s, %v; quote it if it is text", Printable(path),
			node.Value, ErrLeadingZero)))
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if err := checkZeros(Join(path, node.Content[i].Value), node.Content[i+1]); err != nil {
				return err
			}
		}
	case node.Kind == yaml.SequenceNode:
		for i, item := range node.Content {
			if err := checkZeros(fmt.Sprintf("%s[%d]", path, i), item); err != nil {
				return err
			}
		}
	case node.Kind == yaml.DocumentNode:
		return checkZeros(path, node.Content[0])
	}
	return nil
}

// Clean returns a deep copy of a value, converted to the types that [Parse] lists, also from other Go types of
// their kinds, in options that a program sets. Numbers must be finite, except that a list may hold infinite ones,
// as limits. Null may only be an entry of a mapping. Keys in errors begin with path.
func Clean(path string, value any) (any, error) {
	if _, ok := value.(time.Time); ok {
		return nil, Invalid(path, value, "text or a number; quote it if it is text")
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return nil, nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return int(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := v.Uint(); n > math.MaxInt {
			return n, nil
		}
		return int(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		x := v.Float()
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, Invalid(path, value, "a finite number")
		}
		// YAML writes 3.0 as 3, and a round trip must not change the value.
		if i := int(x); x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return i, nil
		}
		return x, nil
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			itemPath, item := fmt.Sprintf("%s[%d]", path, i), v.Index(i).Interface()
			if limit, ok := item.(float64); ok && math.IsInf(limit, 0) {
				list[i] = limit
				continue
			}
			var err error
			if list[i], err = Clean(itemPath, item); err != nil {
				return nil, err
			}
			if list[i] == nil {
				return nil, Invalid(itemPath, nil, "a value")
			}
		}
		return list, nil
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return nil, Errorf(path, "want keys that are text; quote those that YAML reads as numbers or dates")
		}
		tree := make(map[string]any, v.Len())
		for _, key := range sortedKeys(v) {
			item, err := Clean(Join(path, key.String()), v.MapIndex(key).Interface())
			if err != nil {
				return nil, err
			}
			if name, text, ok := strings.Cut(key.String(), ":"); ok && item == nil { // YAML takes both for the key
				return nil, Errorf(path, "%q has no space behind its colon, want %q", key.String(), name+": "+text)
			}
			tree[key.String()] = item
		}
		return tree, nil
	}
	return nil, Invalid(path, value, "a value of YAML's basic types")
}

func sortedKeys(v reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int {
		return cmp.Compare(a.String(), b.String())
	})
}

// Into fills the struct that out points to from tree, strictly. Fields that tree does not mention, or has null for, keep
// their values; a list or a mapping replaces the previous one.
func Into(path string, tree, out any) error {
	d := decoder{path: path}
	if tree != nil {
		d.fill("", reflect.ValueOf(tree), reflect.ValueOf(out).Elem())
	}
	if d.unknown == nil {
		return d.err
	}
	unknown := slices.Min(d.unknown)
	return WithKey(Join(path, unknown), suggest(path, unknown, reflect.TypeOf(out).Elem()))
}

// decoder is a call of Into. The keys of its methods are relative to path.
type decoder struct {
	path    string
	unknown []string // unknown keys, which are reported before other errors
	err     error    // the first other error
}

func (d *decoder) fill(key string, source, target reflect.Value) {
	for source.Kind() == reflect.Interface {
		source = source.Elem()
	}
	for target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	if !source.IsValid() { // null counts as not given
		return
	}
	value, path := source.Interface(), Join(d.path, key)
	want, err := "", error(nil)
	switch field := target.Addr().Interface().(type) {
	case Value:
		want, err = field.FromYAML(path, value)
	case *time.Duration:
		// Only 0 needs no unit.
		if *field, err = time.ParseDuration(fmt.Sprint(value)); err != nil {
			want, err = "a time with its unit, such as 4ms", nil
		}
	case encoding.TextUnmarshaler:
		// To YAML, true is a boolean even where a type has it among other words.
		if want = "text"; source.Kind() == reflect.String || source.Kind() == reflect.Bool {
			want, err = "", WithKey(path, field.UnmarshalText([]byte(fmt.Sprint(value))))
		}
	default:
		want = d.fillKind(key, source, target)
	}
	if want != "" {
		err = Invalid(path, value, want)
	}
	d.err = cmp.Or(d.err, err)
}

// fillKind is fill for Go's kinds. It returns what is wanted where source would be rounded or reinterpreted, or "".
func (d *decoder) fillKind(key string, source, target reflect.Value) (want string) {
	kind := target.Kind()
	fits, want := source.Kind() == kind, kindNames[kind]
	switch kind {
	case reflect.Array:
		fits = source.Kind() == reflect.Slice && source.Len() == target.Len()
		want = fmt.Sprintf("a list of %d values", target.Len())
	case reflect.Struct:
		fits, want = source.Kind() == reflect.Map, kindNames[reflect.Map]
	case reflect.Interface:
		fits = true
	case reflect.Bool, reflect.String, reflect.Slice, reflect.Map:
	default:
		want = wantedNumber(source.Interface(), target)
		fits = want == ""
	}
	if !fits {
		return want
	}
	switch kind {
	case reflect.Struct:
		d.fillStruct(key, source, target)
	case reflect.Slice, reflect.Array:
		if kind == reflect.Slice {
			target.Set(reflect.MakeSlice(target.Type(), source.Len(), source.Len()))
		}
		for i := range source.Len() {
			d.fill(fmt.Sprintf("%s[%d]", key, i), source.Index(i), target.Index(i))
		}
	case reflect.Map:
		target.Set(reflect.MakeMap(target.Type()))
		for _, k := range sortedKeys(source) {
			if source.MapIndex(k).IsNil() {
				continue
			}
			item := reflect.New(target.Type().Elem()).Elem()
			d.fill(Join(key, k.String()), source.MapIndex(k), item)
			target.SetMapIndex(k.Convert(target.Type().Key()), item)
		}
	case reflect.Interface:
		target.Set(reflect.ValueOf(WithoutNull(source.Interface())))
	default:
		target.Set(source.Convert(target.Type()))
	}
	return ""
}

// fillStruct sets the fields of a struct from a mapping, and collects keys without a field.
func (d *decoder) fillStruct(key string, source, target reflect.Value) {
	known := map[string]bool{}
	for _, f := range Fields(target.Type()) {
		known[f.Key] = true
		if item := source.MapIndex(reflect.ValueOf(f.Key)); item.IsValid() {
			d.fill(Join(key, f.Key), item, target.FieldByIndex(f.Index))
		}
	}
	for _, k := range source.MapKeys() {
		if !known[k.String()] {
			d.unknown = append(d.unknown, Join(key, k.String()))
		}
	}
}

var kindNames = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "text", reflect.Slice: "a list",
	reflect.Map: "a mapping of keys to values",
}

// wantedNumber says what a number wants unless it fits into to.
func wantedNumber(value any, target reflect.Value) string {
	whole, isInt := value.(int)
	large, isLarge := value.(uint64) // used only for values that do not fit an int
	float, isFloat := value.(float64)
	switch {
	case target.CanInt() && isLarge:
		return fmt.Sprintf("a whole number of at most %d", math.MaxInt)
	case target.CanInt() && !isInt:
		return "a whole number"
	case target.CanInt() && target.OverflowInt(int64(whole)):
		return fmt.Sprintf("a whole number of at most %d bits", target.Type().Bits())
	case target.CanUint():
		if isInt && whole >= 0 && !target.OverflowUint(uint64(whole)) || isLarge && !target.OverflowUint(large) {
			return ""
		}
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-target.Type().Bits()))
	case target.CanFloat() && !isInt && !isLarge && (!isFloat || target.OverflowFloat(float)):
		return "a number"
	}
	return ""
}

// Invalid returns the error of an invalid value of a key.
func Invalid(key string, got any, want string) error {
	return errors.New(strings.TrimSpace(fmt.Sprintf("%s is %s, want %s", Printable(key), Describe(got), want)))
}

// WithKey returns err, unless it is nil, with the key that it is about in front.
func WithKey(key string, err error) error {
	if key == "" || err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", Printable(key), err)
}

// Errorf returns an error that begins with a key.
func Errorf(path, format string, args ...any) error {
	return WithKey(path, fmt.Errorf(format, args...))
}

// Describe names a value for an error.
func Describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case time.Time:
		return "a date"
	case map[string]any:
		return "a mapping"
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(value)
}

// Printable returns s, quoted if it would not stay on its line.
func Printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// Join returns the key of an entry of a mapping, or of a list if key begins with "[".
func Join(path, key string) string {
	if path == "" || key == "" || key[0] == '[' {
		return path + key
	}
	return path + "." + key
}

// suggest returns the error of an unknown key below path, for a struct of type t. It names the nearest key, rather
// one with the same parent, or one that means what the unknown one means elsewhere; else the keys of the parent.
func suggest(path, unknown string, t reflect.Type) error {
	const elsewhere = 2 // edits added to the distance of a key with another parent
	parent, leaf := split(unknown)
	leaf = spell.Translate(leaf)
	nearest, least := "", math.MaxInt
	var others []string
	for _, known := range allKeys("", t) {
		p, l := split(known)
		d := spell.Distance(leaf, l)
		if p == indices.ReplaceAllString(parent, "[]") {
			known = Join(parent, l)
			others = append(others, l)
		} else {
			d += elsewhere
		}
		if d < least && spell.Near(leaf, l) {
			nearest, least = known, d
		}
	}
	switch {
	case nearest != "":
		return fmt.Errorf("unknown key; did you mean %s?", Join(path, nearest))
	case len(others) == 0:
		return errors.New("unknown key, want none")
	}
	return errors.New("unknown key, want one of " + strings.Join(others, ", "))
}

func split(key string) (parent, leaf string) {
	i := strings.LastIndexByte(key, '.')
	return key[:max(i, 0)], key[i+1:]
}

var indices = regexp.MustCompile(`\[[^\]]*\]`)

// allKeys lists the keys of a struct type, with those of nested structs and of the entries of lists, in order.
func allKeys(path string, t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		return allKeys(path+"[]", t.Elem())
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for _, f := range Fields(t) {
		key := Join(path, f.Key)
		keys = append(keys, key)
		if !reflect.PointerTo(f.Type).Implements(reflect.TypeFor[Value]()) {
			keys = append(keys, allKeys(key, f.Type)...)
		}
	}
	return keys
}

// Field is a field of a struct.
type Field struct {
	reflect.StructField
	Key string // key in YAML
}

// Fields returns the fields of a struct that YAML has. The fields of an inlined struct count as fields of the
// struct itself, also in Index.
func Fields(t reflect.Type) (all []Field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case options == "inline":
			for _, inner := range Fields(f.Type) {
				inner.Index = append(slices.Clone(f.Index), inner.Index...)
				all = append(all, inner)
			}
		default:
			all = append(all, Field{f, cmp.Or(name, f.Name)})
		}
	}
	return all
}

// Value is implemented by pointers to types whose values in YAML differ from those of their kind in Go, such as a
// number that may also be text. FromYAML sets the value; if it cannot be one, it returns what is wanted instead,
// such as "a rate", or an error that begins with key, which is that of the value.
type Value interface {
	FromYAML(key string, value any) (want string, err error)
}

// Leaves lists the keys of a struct type that hold a value, a list or a mapping with free keys.
func Leaves(t reflect.Type) []string {
	all := allKeys("", t)
	return slices.DeleteFunc(slices.Clone(all), func(key string) bool {
		return strings.Contains(key, "[]") ||
			slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, key+".") })
	})
}

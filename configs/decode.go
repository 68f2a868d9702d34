package configs

import (
	"bytes"
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
)

// YAML returns the configuration in its canonical form: every key in the order
// of the struct, so equal configurations give equal bytes. Loading it gives an
// equal configuration.
func (c *Config) YAML() []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(c); err != nil {
		panic(err) // plain data can always be encoded
	}
	return b.Bytes()
}

// DecodeOptions decodes the options of a task into the struct that out points to,
// whose fields have yaml tags and hold the defaults. It is as strict as [Load]. path is
// the key of the options, such as "task.options", with which the keys in errors begin.
func DecodeOptions(path string, in map[string]any, out any) error {
	tree, err := clean(path, in)
	if err != nil {
		return err
	}
	return decode(path, tree, out)
}

// parseYAML parses one YAML value into the types that [Task.Options] lists; nil
// for an empty document. Keys in errors begin with path.
func parseYAML(path string, data []byte) (any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var value any
	if err := dec.Decode(&value); err != nil && err != io.EOF {
		return nil, under(path, errors.New(strings.Join(strings.Fields(err.Error()), " ")))
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		return nil, under(path, errMoreDocuments)
	}
	return clean(path, value)
}

// clean returns a deep copy of a value, converted to the types that [Task.Options]
// lists. Numbers must be finite, except that a list may hold infinite ones, as limits.
// A null entry of a mapping counts as not given. Keys in errors begin with path.
func clean(path string, value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, int, uint64, string:
		return v, nil
	case int64:
		if int64(int(v)) == v {
			return int(v), nil
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, wrong(path, value, "a finite number")
		}
		// YAML writes 3.0 as 3, and a round trip must not change the value.
		if i := int(v); v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return i, nil
		}
		return v, nil
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			if item == nil {
				return nil, wrong(at, nil, "a value")
			}
			if limit, ok := item.(float64); ok && math.IsInf(limit, 0) {
				list[i] = limit
				continue
			}
			c, err := clean(at, item)
			if err != nil {
				return nil, err
			}
			list[i] = c
		}
		return list, nil
	case map[string]any:
		tree := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			c, err := clean(join(path, key), v[key])
			if err != nil {
				return nil, err
			}
			if c != nil {
				tree[key] = c
			}
		}
		return tree, nil
	case map[any]any:
		return nil, keyError(path, "want keys that are text; quote those that YAML reads as numbers or dates")
	case time.Time:
		return nil, wrong(path, value, "text or a number; quote it if it is text")
	}
	if basic := basicOf(reflect.ValueOf(value)); basic != nil {
		return clean(path, basic)
	}
	return nil, wrong(path, value, "a value of YAML's basic types")
}

// basicOf converts booleans, numbers, strings, lists and mappings of other Go types to
// the types of YAML, for options that a program sets; nil for any other value.
func basicOf(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := v.Uint(); n > math.MaxInt {
			return n
		}
		return int(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Interface()
		}
		return list
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return nil
		}
		tree := make(map[string]any, v.Len())
		for _, key := range v.MapKeys() {
			tree[key.String()] = v.MapIndex(key).Interface()
		}
		return tree
	}
	return nil
}

// decode fills the struct that out points to from tree, strictly. Fields that
// tree does not mention keep their values.
func decode(path string, tree, out any) error {
	var meta mapstructure.Metadata
	dec, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:          out,
		Metadata:        &meta,
		TagName:         "yaml",
		SquashTagOption: "inline",
		ZeroFields:      true, // a list replaces the previous one, whatever its length
		MatchName:       func(key, field string) bool { return key == field },
		DecodeHook:      mapstructure.DecodeHookFuncValue(convert),
	})
	if err != nil {
		return err
	}
	err = dec.Decode(tree)
	if len(meta.Unused) > 0 {
		unknown := slices.Min(meta.Unused)
		known := suggest(unknown, reflect.TypeOf(out).Elem())
		return keyError(join(path, unknown), "unknown key; did you mean %s?", join(path, known))
	}
	return firstError(path, err)
}

// firstError returns the first of the errors that mapstructure joins, in our words.
func firstError(path string, err error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return firstError(path, joined.Unwrap()[0])
	}
	var d *mapstructure.DecodeError
	if errors.As(err, &d) {
		path, err = join(path, d.Name()), d.Unwrap()
	}
	return under(path, err)
}

// convert is a decode hook that returns a value of exactly the field's type, or an
// error that names the wanted type.
func convert(from, to reflect.Value) (any, error) {
	for from.Kind() == reflect.Interface {
		from = from.Elem()
	}
	value, target := from.Interface(), to.Type()
	for target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	want := func(what string) error { return &wrongValue{value, what} }

	switch target {
	case reflect.TypeFor[Rate]():
		if from.Type() == target {
			return value, nil
		}
		if text := rateText(value); text != "" {
			return ParseRate(text)
		}
		return nil, want("a rate such as 50, 29.97, 200/3 or 15ms")
	case reflect.TypeFor[time.Duration]():
		if text, ok := value.(string); ok {
			if d, err := time.ParseDuration(text); err == nil {
				return d, nil
			}
		}
		if value == 0 || from.Type() == target {
			return value, nil
		}
		return nil, want("a time with its unit, such as 4ms")
	}

	if text, ok := reflect.New(target).Interface().(encoding.TextUnmarshaler); ok && from.Type() != target {
		if from.Kind() != reflect.String {
			return nil, want("text")
		}
		err := text.UnmarshalText([]byte(from.String()))
		return reflect.ValueOf(text).Elem().Interface(), err
	}

	// Check that no value is rounded, truncated or reinterpreted.
	zero := reflect.Zero(target)
	switch target.Kind() {
	case reflect.Bool:
		if from.Kind() != reflect.Bool {
			return nil, want("true or false")
		}
	case reflect.String:
		if from.Kind() != reflect.String {
			return nil, want("text")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		switch v := value.(type) {
		case int:
			if !zero.OverflowInt(int64(v)) {
				return v, nil
			}
			return nil, want(fmt.Sprintf("a whole number of at most %d bits", target.Bits()))
		case uint64: // used only for values that do not fit an int
			return nil, want(fmt.Sprintf("a whole number of at most %d", math.MaxInt))
		}
		return nil, want("a whole number")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		switch v := value.(type) {
		case int:
			if v >= 0 && !zero.OverflowUint(uint64(v)) {
				return v, nil
			}
		case uint64:
			if !zero.OverflowUint(v) {
				return v, nil
			}
		}
		return nil, want(fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-target.Bits())))
	case reflect.Float32, reflect.Float64:
		switch v := value.(type) {
		case int, uint64:
			return v, nil
		case float64:
			if !zero.OverflowFloat(v) {
				return v, nil
			}
		}
		return nil, want("a number")
	case reflect.Interface:
		to.SetZero() // the type of the default does not matter
	case reflect.Slice:
		if from.Kind() != reflect.Slice {
			return nil, want("a list")
		}
	case reflect.Array:
		if from.Kind() != reflect.Slice || from.Len() != target.Len() {
			return nil, want(fmt.Sprintf("a list of %d values", target.Len()))
		}
	case reflect.Struct, reflect.Map:
		if from.Kind() != reflect.Map {
			return nil, want("a mapping of keys to values")
		}
	}
	return value, nil
}

// wrongValue is the error of an invalid value, without its key.
type wrongValue struct {
	got  any
	want string
}

func (w *wrongValue) Error() string { return fmt.Sprintf("is %s, want %s", describe(w.got), w.want) }

// wrong returns the error of an invalid value of a key.
func wrong(key string, got any, want string) error { return under(key, &wrongValue{got, want}) }

// under returns err with the key that it is about in front.
func under(key string, err error) error {
	switch _, value := err.(*wrongValue); {
	case key == "":
		return err
	case value:
		return fmt.Errorf("%s %w", printable(key), err)
	}
	return fmt.Errorf("%s: %w", printable(key), err)
}

// describe names a value for an error.
func describe(value any) string {
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

func keyError(path, format string, args ...any) error {
	return under(path, fmt.Errorf(format, args...))
}

// printable returns s, quoted if it would not stay on its line.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

func join(path, key string) string {
	switch {
	case path == "":
		return key
	case key == "" || key[0] == '[':
		return path + key
	}
	return path + "." + key
}

// suggest returns the known key nearest to the unknown one, for a struct of
// type t. It prefers a key with the same parent.
func suggest(unknown string, t reflect.Type) string {
	const elsewhere = 2 // edits added to the distance of a key elsewhere
	parent, leaf := split(unknown)
	best, least := "", math.MaxInt
	for _, known := range allKeys("", t) {
		p, l := split(known)
		d := spell.Distance(leaf, l)
		if p == withoutIndices(parent) {
			known = join(parent, l)
		} else {
			d += elsewhere
		}
		if d < least {
			best, least = known, d
		}
	}
	return best
}

// split cuts a key into its parent and its last element.
func split(key string) (parent, leaf string) {
	i := strings.LastIndexByte(key, '.')
	if i < 0 {
		return "", key
	}
	return key[:i], key[i+1:]
}

// withoutIndices turns runners[2] into runners[].
func withoutIndices(path string) string {
	var b strings.Builder
	inside := false
	for _, r := range path {
		inside = inside && r != ']'
		if !inside {
			b.WriteRune(r)
		}
		inside = inside || r == '['
	}
	return b.String()
}

// allKeys lists the keys of a struct type, including those of nested structs and of
// the entries of lists, in order.
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
	for f := range fields(t) {
		key := join(path, f.name)
		keys = append(keys, key)
		if !isValue(f.Type) {
			keys = append(keys, allKeys(key, f.Type)...)
		}
	}
	return keys
}

// leafKeys lists the keys of a Config that hold a value or a list.
func leafKeys() []string {
	var keys []string
	var walk func(path string, t reflect.Type)
	walk = func(path string, t reflect.Type) {
		if t.Kind() != reflect.Struct || isValue(t) {
			keys = append(keys, path)
			return
		}
		for f := range fields(t) {
			walk(join(path, f.name), f.Type)
		}
	}
	walk("", reflect.TypeFor[Config]())
	return keys
}

type field struct {
	reflect.StructField
	name string // in YAML
}

// fields yields the fields of a struct that YAML has. The fields of an inlined struct
// count as fields of the struct itself.
func fields(t reflect.Type) iter.Seq[field] {
	return func(yield func(field) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			switch {
			case name == "-":
			case options == "inline":
				for inner := range fields(f.Type) {
					if !yield(inner) {
						return
					}
				}
			case !yield(field{f, cmp.Or(name, f.Name)}):
				return
			}
		}
	}
}

// isValue reports whether a struct type is a single value in YAML.
func isValue(t reflect.Type) bool { return t == reflect.TypeFor[Rate]() }

package training

import (
	"reflect"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
)

// Every setting of rl must come from the configuration: with a training section
// without zeros, none may be left zero.
func TestSettingsLeaveNothingOut(t *testing.T) {
	var training configs.Training
	fill(reflect.ValueOf(&training).Elem())
	set := reflect.ValueOf(settings(training))
	for i := range set.NumField() {
		if set.Field(i).IsZero() {
			t.Errorf("rl.Settings.%s is not set from the configuration", set.Type().Field(i).Name)
		}
	}
}

func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int:
			f.SetInt(1)
		case reflect.Float64:
			f.SetFloat(1)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString("constant")
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
}

package mujoco

import (
	"os"
	"path/filepath"
	"testing"
)

// Models from equal files have equal digests wherever the files lie, and other ones as
// soon as anything in a file differs, be it one that is included.
func TestDigest(t *testing.T) {
	digest := func(mass string) uint32 {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"main.xml": `<mujoco><include file="body.xml"/></mujoco>`,
			"body.xml": `<mujoco><worldbody><body name="ball"><freejoint/><geom size="0.1" mass="` + mass + `"/></body></worldbody></mujoco>`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		m, err := Load(filepath.Join(dir, "main.xml"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}()
		if again := m.Digest(); again != m.Digest() {
			t.Error("a model has two digests")
		}
		return m.Digest()
	}
	light, same, heavy := digest("1"), digest("1"), digest("2")
	if light != same {
		t.Errorf("equal files: digests %08x and %08x", light, same)
	}
	if light == heavy {
		t.Errorf("another mass in an included file: digest %08x both times", light)
	}
	t.Logf("digest %08x", light)
}

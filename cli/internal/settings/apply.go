package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/memory"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Apply lets the settings of the whole process take effect: kernels, memory, theme and the places of files. OpenBLAS
// chooses its kernels before a program begins, so again is called to begin it again with the variables that it gets,
// and returns only with an error; nil: this process is not ours to begin again. restore takes back what Apply did to
// the process. Errors are about what the user asked for.
func (s *Settings) Apply(again func(environ []string) error) (restore func(), err error) {
	if err := s.chooseKernels(again); err != nil {
		return func() {}, err
	}
	undo := []func(){memory.SetLimit(s.MemoryMB << 20), curve.SetDark(s.Theme == Dark)}
	for _, key := range []string{"gymnasium", "robots", "ffmpeg"} {
		if one := s.Of(key); one.From != Default {
			name := VariableOf(key)
			before, was := os.LookupEnv(name)
			os.Setenv(name, fmt.Sprint(one.Value))
			undo = append(undo, func() {
				if os.Unsetenv(name); was {
					os.Setenv(name, before)
				}
			})
		}
	}
	return func() {
		for _, f := range undo {
			f()
		}
	}, nil
}

// executable says which kernels this processor can execute, of those that need more than others. OpenBLAS does not ask
// for names that are given to it, and the first product would end the process.
var executable = func() map[string]bool {
	x := cpu.X86
	avx2 := x.HasAVX2 && x.HasFMA
	avx512 := avx2 && x.HasAVX512F && x.HasAVX512CD && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL
	return map[string]bool{"sandybridge": x.HasAVX, "haswell": avx2, "zen": avx2, "skylakex": avx512,
		"cooperlake": avx512 && x.HasAVX512BF16, "sapphirerapids": avx512 && x.HasAVX512BF16 && x.HasAMXBF16}
}()

// chooseKernels makes sure that OpenBLAS has the kernels that are asked for.
func (s *Settings) chooseKernels(again func(environ []string) error) error {
	one := s.Of("kernels")
	if s.Kernels == "" || one.Where == kernelVariable || strings.EqualFold(s.Kernels, nn.Kernel()) {
		return nil
	}
	if can, known := executable[strings.ToLower(s.Kernels)]; known && !can {
		return one.wrap(fmt.Errorf("kernels is %q, whose instructions this processor lacks", s.Kernels))
	}
	if os.Getenv(kernelVariable) == s.Kernels {
		return one.wrap(fmt.Errorf("kernels is %q, and OpenBLAS takes %s, want a name of kernels that it has for this "+
			"processor", s.Kernels, nn.Kernel()))
	}
	if again == nil {
		return one.wrap(fmt.Errorf("kernels is %q, and this process has %s, want %s=%s when it begins", s.Kernels,
			nn.Kernel(), kernelVariable, s.Kernels))
	}
	environ := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, kernelVariable+"=") // C would find the first
	})
	return again(append(environ, kernelVariable+"="+s.Kernels))
}

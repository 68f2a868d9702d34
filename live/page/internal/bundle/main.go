// Bundle writes the libraries of the page, which npm has installed beside it, to
// site/libraries.js. Run it by go generate in live/page.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/polyrhythm-rl/polyrhythm/live/page/internal/bundle/source"
)

func main() {
	if err := bundle("internal/bundle", "site"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bundle bundles the libraries in from, and writes them and their licences to the folder to.
func bundle(from, to string) error {
	sum, err := source.Sum(from)
	if err != nil {
		return err
	}
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(from, "libraries.js")},
		Bundle:      true, Format: api.FormatESModule, Target: api.ES2022,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsInline,
		Banner: map[string]string{"js": source.Banner + sum},
	})
	for _, m := range r.Errors {
		return fmt.Errorf("bundle: %s", m.Text)
	}
	if err := os.WriteFile(filepath.Join(to, "libraries.js"), r.OutputFiles[0].Contents, 0o666); err != nil {
		return err
	}
	style, err := os.ReadFile(filepath.Join(from, "node_modules/uplot/dist/uPlot.min.css"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "uplot.css"), style, 0o666); err != nil {
		return err
	}
	var licences strings.Builder
	for _, at := range []string{ // that of protobuf is the first comment of its files
		"three/LICENSE", "uplot/LICENSE",
		"@bufbuild/protobuf/dist/esm/create.js", "@bufbuild/protobuf/dist/esm/wire/varint.js",
	} {
		text, err := os.ReadFile(filepath.Join(from, "node_modules", at))
		if err != nil {
			return err
		}
		if strings.HasSuffix(at, ".js") {
			text = regexp.MustCompile(`^(//.*\n)*`).Find(text)
		}
		fmt.Fprintf(&licences, "%s\n\n%s\n", at, strings.TrimSpace(string(text)))
	}
	return os.WriteFile(filepath.Join(to, "libraries.LICENSE.txt"), []byte(licences.String()), 0o666)
}

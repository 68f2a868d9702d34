// Package page is the web page on which people watch and steer a live run. The scripts in
// site are served as they are written; site/libraries.js is a bundle of the libraries that
// they use, committed so that building needs neither Node.js nor npm. To make it again,
// after a change of internal/bundle, run go generate with npm installed.
package page

//go:generate npm ci --silent --ignore-scripts --prefix internal/bundle
//go:generate go run ./internal/bundle

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed site
var site embed.FS

// file is a file of the page.
type file struct {
	kind string // of content
	tag  string // changes with the content
	data []byte
	gzip []byte
}

// files are the files by their path, compressed at the first request.
var files = sync.OnceValue(func() map[string]file {
	all := map[string]file{}
	err := fs.WalkDir(site, "site", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := site.ReadFile(name)
		if err != nil {
			return err
		}
		f := file{kind: mime.TypeByExtension(path.Ext(name)), tag: fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256(data))[:16]), data: data}
		switch path.Ext(name) { // whatever the machine's own table says
		case ".js":
			f.kind = "text/javascript; charset=utf-8"
		case ".css":
			f.kind = "text/css; charset=utf-8"
		case ".html":
			f.kind = "text/html; charset=utf-8"
		case ".svg":
			f.kind = "image/svg+xml"
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(data)
		z.Close()
		f.gzip = packed.Bytes()
		all[strings.TrimPrefix(name, "site")] = f
		return nil
	})
	if err != nil {
		panic(err) // cannot happen: the files are in the program
	}
	all["/"] = all["/index.html"]
	return all
})

// policy lets the page load and connect to nothing but its own server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page.
func Handler() http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(to, "the page can only be read", http.StatusMethodNotAllowed)
			return
		}
		f, ok := files()[r.URL.Path]
		if !ok {
			http.NotFound(to, r)
			return
		}
		h := to.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", f.tag)
		h.Set("Vary", "Accept-Encoding")
		if r.Header.Get("If-None-Match") == f.tag {
			to.WriteHeader(http.StatusNotModified)
			return
		}
		data := f.data
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			data = f.gzip
		}
		to.Write(data)
	})
}

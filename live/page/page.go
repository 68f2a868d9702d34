// Package page is the web page on which people watch and steer a live run. The scripts in site are served as they are
// written; site/libraries.js is a bundle of the libraries that they use, committed so that building needs neither
// Node.js nor npm. To make it again, after a change of internal/bundle, run go generate with npm installed.
package page

//go:generate npm ci --silent --ignore-scripts --prefix internal/bundle
//go:generate go run ./internal/bundle

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

//go:embed site
var site embed.FS

// File is content that does not change while the program runs. It is sent compressed to who takes
// that, not at all to who has it, and to who reads slowly for as long as that takes.
type File struct {
	kind string // of content
	tag  string // changes with the content
	data []byte
	gzip func() []byte
}

// NewFile returns a file with a content type.
func NewFile(kind string, data []byte) *File {
	tag := fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256(data))[:16])
	return &File{kind: kind, tag: tag, data: data, gzip: sync.OnceValue(func() []byte {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(data)
		z.Close()
		return packed.Bytes()
	})}
}

// A client has to take each piece of a file in a time.
const (
	pieceBytes = 64 << 10
	pieceTime  = 30 * time.Second
)

// ServeHTTP implements [http.Handler].
func (f *File) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	h := to.Header()
	h.Set("Content-Type", f.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache") // asked for by its tag
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == f.tag {
		to.WriteHeader(http.StatusNotModified)
		return
	}
	data := f.data
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = f.gzip()
	}
	h.Set("Content-Length", strconv.Itoa(len(data)))
	control := http.NewResponseController(to)
	for piece := range slices.Chunk(data, pieceBytes) {
		control.SetWriteDeadline(time.Now().Add(pieceTime)) // that of the server is for the whole
		if _, err := to.Write(piece); err != nil {
			return
		}
	}
}

var files = sync.OnceValue(func() map[string]*File {
	kinds := map[string]string{ // whatever the machine's own table says
		".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
		".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
	}
	all := map[string]*File{}
	entries, err := site.ReadDir("site")
	for _, entry := range entries {
		var data []byte
		data, err = site.ReadFile("site/" + entry.Name())
		all["/"+entry.Name()] = NewFile(kinds[path.Ext(entry.Name())], data)
	}
	descriptor, failed := proto.Marshal(protodesc.ToFileDescriptorProto(wire.File_live_wire_live_proto))
	if err = cmp.Or(err, failed); err != nil {
		panic(err) // cannot happen: all of it is in the program
	}
	all["/live.binpb"] = NewFile("application/octet-stream", descriptor)
	all["/"] = all["/index.html"]
	return all
})

// policy lets the page load and connect to nothing but its own server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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
		to.Header().Set("Content-Security-Policy", policy)
		to.Header().Set("Referrer-Policy", "no-referrer")
		f.ServeHTTP(to, r)
	})
}

package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live/page/internal/bundle/source"
)

// The committed bundle is that of the committed sources.
func TestBundleIsCurrent(t *testing.T) {
	sum := polytest.Must(source.Sum("internal/bundle"))(t)
	data := polytest.Must(site.ReadFile("site/libraries.js"))(t)
	first, _, _ := strings.Cut(string(data), "\n")
	if want := source.Banner + sum; first != want {
		t.Errorf("site/libraries.js begins with\n%s\nwant\n%s\nRun go generate in live/page.", first, want)
	}
}

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

// Whatever a file of the page names is served, and names that the libraries export.
func TestNamedFilesAreServed(t *testing.T) {
	data := polytest.Must(site.ReadFile("site/libraries.js"))(t)
	exports := string(data[strings.LastIndex(string(data), "export{"):])
	err := fs.WalkDir(site, "site", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), "libraries") {
			return err
		}
		text, err := site.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`(?:from "\./|href="|src=")([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			if r := get(t, "/"+m[1]); r.StatusCode != http.StatusOK {
				t.Errorf("%s names %s: status %d", name, m[1], r.StatusCode)
			}
		}
		if m := regexp.MustCompile(`(?s)import \{([^}]*)\} from ` +
			`"\./libraries\.js"`).FindStringSubmatch(string(text)); m != nil {
			for _, used := range regexp.MustCompile(`\w+`).FindAllString(m[1], -1) {
				if !regexp.MustCompile(`\b` + used + `[,}]`).MatchString(exports) {
					t.Errorf("%s imports %s, which libraries.js does not export", name, used)
				}
			}
		}
		return nil
	})
	polytest.NoError(t, err)
}

func TestHandler(t *testing.T) {
	plain := get(t, "/")
	polytest.Equal(t, plain.Header.Get("Content-Type"), "text/html; charset=utf-8", "the page has the type")
	if policy := plain.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	want, _ := io.ReadAll(plain.Body)
	packed := get(t, "/", "Accept-Encoding", "gzip")
	z := polytest.Must(gzip.NewReader(packed.Body))(t)
	if got, err := io.ReadAll(z); err != nil || string(got) != string(want) {
		t.Errorf("compressed, the page is %d bytes (%v), want %d", len(got), err, len(want))
	}
	if r := get(t, "/", "If-None-Match", plain.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
		t.Errorf("a page that is known has status %d", r.StatusCode)
	}
	for _, path := range []string{"/nothing", "/../page.go", "/site/index.html"} {
		if r := get(t, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s has status %d, want %d", path, r.StatusCode, http.StatusNotFound)
		}
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	polytest.Equal(t, w.Code, http.StatusMethodNotAllowed, "POST has status")
}

// slow is an answer that notes the deadlines of its writes.
type slow struct {
	*httptest.ResponseRecorder
	deadlines int
}

func (s *slow) SetWriteDeadline(time.Time) error {
	s.deadlines++
	return nil
}

// A file of any size has its time for each piece, is sent compressed, and once.
func TestLargeFiles(t *testing.T) {
	f := NewFile("text/plain", bytes.Repeat([]byte("large "), 1<<17))
	r := httptest.NewRequest("GET", "/", nil)
	to := &slow{ResponseRecorder: httptest.NewRecorder()}
	f.ServeHTTP(to, r)
	if want := 6 << 17 / pieceBytes; to.deadlines != want || to.Body.Len() != 6<<17 {
		t.Errorf("%d bytes have %d deadlines, want %d and %d", to.Body.Len(), to.deadlines, 6<<17, want)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	packed := httptest.NewRecorder()
	f.ServeHTTP(packed, r)
	if packed.Header().Get("Content-Encoding") != "gzip" || packed.Body.Len() > 10_000 {
		t.Errorf("%d bytes, %v", packed.Body.Len(), packed.Header())
	}
	r.Header.Set("If-None-Match", packed.Header().Get("ETag"))
	again := httptest.NewRecorder()
	if f.ServeHTTP(again, r); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("again: status %d, %d bytes", again.Code, again.Body.Len())
	}
}

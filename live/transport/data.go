package transport

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/live/page"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// handle answers requests at a path of who has a token, as "Authorization: Bearer TOKEN", where one is needed.
func (w *Web) handle(mux *http.ServeMux, path string, get http.HandlerFunc) {
	mux.HandleFunc("GET "+path, func(to http.ResponseWriter, r *http.Request) {
		if w.gate.authorize(to, r, bearer(r.Header.Get("Authorization"))) {
			get(to, r)
		}
	})
}

// serveData adds what a page reads beside the WebSocket: the shapes of the scene, its meshes, the
// ground of a world, the clock of world 0, who is connected, and the newest decisions.
func (w *Web) serveData(mux *http.ServeMux) {
	handleJSON := func(path string, get func(q url.Values) (any, error)) {
		w.handle(mux, Path+"/"+path, func(to http.ResponseWriter, r *http.Request) {
			v, err := get(r.URL.Query())
			data, failed := json.Marshal(v)
			if err = cmp.Or(err, failed); err != nil {
				http.Error(to, err.Error(), http.StatusBadRequest)
				return
			}
			to.Header().Set("Content-Type", "application/json")
			to.Header().Set("Cache-Control", "no-store")
			to.Write(data)
		})
	}
	// The meshes are the vertices and the normals as float32, and the faces as uint32, one after the
	// other, all little-endian; the scene says how many of each.
	files := sync.OnceValues(func() (scene, meshes *page.File) {
		shapes, all := w.run.Scene()
		sizes, data := []map[string]int{}, []byte{}
		for _, m := range all {
			sizes = append(sizes, map[string]int{"vertices": len(m.Vertices) / 3, "faces": len(m.Faces) / 3})
			for _, list := range []any{m.Vertices, m.Normals, m.Faces} {
				data, _ = binary.Append(data, binary.LittleEndian, list)
			}
		}
		text, err := json.Marshal(map[string]any{"shapes": append([]physics.Shape{}, shapes...), "meshes": sizes})
		if err != nil {
			panic(err) // cannot happen: finite numbers and strings
		}
		return page.NewFile("application/json", text), page.NewFile("application/octet-stream", data)
	})
	w.handle(mux, Path+"/scene", func(to http.ResponseWriter, r *http.Request) {
		scene, _ := files()
		scene.ServeHTTP(to, r)
	})
	w.handle(mux, Path+"/meshes", func(to http.ResponseWriter, r *http.Request) {
		_, meshes := files()
		meshes.ServeHTTP(to, r)
	})
	handleJSON("ground", func(q url.Values) (any, error) {
		world, err := strconv.Atoi(q.Get("world"))
		if err != nil {
			return nil, fmt.Errorf("world is %s, want a number", quoted(strconv.Quote(q.Get("world"))))
		}
		return w.run.Ground(world)
	})
	handleJSON("order", func(url.Values) (any, error) { return w.run.Order(), nil })
	handleJSON("decisions", func(q url.Values) (any, error) {
		id, list := q.Get("id"), w.run.Decisions()
		for i := range list {
			if list[i].ID == id {
				return list[i], nil
			}
			list[i].Perception = nil
		}
		if id != "" {
			return nil, fmt.Errorf("id is %s, want one of the newest decisions", quoted(strconv.Quote(id)))
		}
		return map[string]any{"decisions": list}, nil
	})
	handleJSON("clients", func(url.Values) (any, error) { return map[string]any{"clients": w.run.Sessions()}, nil })
}

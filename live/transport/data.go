package transport

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// serveData adds what a page reads beside the WebSocket, with a token as "Authorization:
// Bearer TOKEN" where one is needed: the shapes of the scene, its meshes, the ground of a
// world, the clock of world 0, who is connected, and the newest decisions.
func (w *Web) serveData(mux *http.ServeMux) {
	scene := sync.OnceValue(w.run.Scene)
	handle := func(path string, get func(to http.ResponseWriter, r *http.Request)) {
		mux.HandleFunc("GET "+Path+"/"+path, func(to http.ResponseWriter, r *http.Request) {
			secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if _, err := w.options.Access.role(secret); err != nil {
				w.options.log("refused " + r.RemoteAddr + ": " + err.Error())
				http.Error(to, err.Error(), http.StatusUnauthorized)
				return
			}
			to.Header().Set("Cache-Control", "no-store")
			get(to, r)
		})
	}
	handle("scene", func(to http.ResponseWriter, _ *http.Request) { writeJSON(to, scene()) })
	handle("meshes", func(to http.ResponseWriter, _ *http.Request) {
		to.Header().Set("Content-Type", "application/octet-stream")
		to.Write(scene().Data)
	})
	handle("ground", func(to http.ResponseWriter, r *http.Request) {
		world, err := strconv.Atoi(r.URL.Query().Get("world"))
		if err != nil {
			http.Error(to, "world is "+quoted(strconv.Quote(r.URL.Query().Get("world")))+", want a number", http.StatusBadRequest)
			return
		}
		outlines, err := w.run.Ground(world)
		if err != nil {
			http.Error(to, err.Error(), http.StatusBadRequest)
			return
		}
		writeJSON(to, outlines)
	})
	handle("order", func(to http.ResponseWriter, _ *http.Request) { writeJSON(to, w.run.Order()) })
	handle("decisions", func(to http.ResponseWriter, r *http.Request) {
		id := r.URL.Query().Get("id")
		if id == "" {
			writeJSON(to, struct {
				Decisions []live.DecisionTrace `json:"decisions"`
			}{w.run.Decisions()})
			return
		}
		trace, ok := w.run.Decision(id)
		if !ok {
			http.Error(to, "id is "+quoted(strconv.Quote(id))+", want one of the newest decisions", http.StatusNotFound)
			return
		}
		writeJSON(to, trace)
	})
	handle("clients", func(to http.ResponseWriter, _ *http.Request) {
		writeJSON(to, struct {
			Clients []live.Session `json:"clients"`
		}{w.run.Sessions()})
	})
}

func writeJSON(to http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(to, err.Error(), http.StatusInternalServerError)
		return
	}
	to.Header().Set("Content-Type", "application/json")
	to.Write(data)
}

package transport

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// serveData adds what a page reads beside the WebSocket, with a token as "Authorization:
// Bearer TOKEN" where one is needed: the shapes of the scene, its meshes, the clock of
// world 0, and who is connected.
func (w *Web) serveData(mux *http.ServeMux) {
	scene := sync.OnceValue(w.run.Scene)
	handle := func(path string, get func(to http.ResponseWriter)) {
		mux.HandleFunc("GET "+Path+"/"+path, func(to http.ResponseWriter, r *http.Request) {
			secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if _, err := w.options.Access.role(secret); err != nil {
				w.options.log("refused " + r.RemoteAddr + ": " + err.Error())
				http.Error(to, err.Error(), http.StatusUnauthorized)
				return
			}
			to.Header().Set("Cache-Control", "no-store")
			get(to)
		})
	}
	handle("scene", func(to http.ResponseWriter) { writeJSON(to, scene()) })
	handle("meshes", func(to http.ResponseWriter) {
		to.Header().Set("Content-Type", "application/octet-stream")
		to.Write(scene().Data)
	})
	handle("order", func(to http.ResponseWriter) { writeJSON(to, w.run.Order()) })
	handle("clients", func(to http.ResponseWriter) {
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

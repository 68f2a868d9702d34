package page_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/polyrhythm-rl/polyrhythm/live/page"
)

func Example() {
	answer := httptest.NewRecorder()
	page.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	fmt.Println(answer.Code, answer.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}

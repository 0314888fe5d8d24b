package histories

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"
)

// weather is what a network does to a request.
type weather int

const (
	calm       weather = iota
	noQuestion         // it never reaches the store
	noAnswer           // it does, and the answer is lost or replaced by a 500
	delayed            // it reaches the store late, perhaps after its sender gave up
	doubled            // a write reaches it twice, at once or with a while between
	weathers
)

func (w weather) String() string {
	return [...]string{"calm", "questions lost", "answers lost", "delayed", "doubled"}[w]
}

// proxy is the network between writers and an S3 server.
type proxy struct {
	*httptest.Server
	target *url.URL
	onward http.RoundTripper
	flying sync.WaitGroup // requests that may still reach the store

	mu     sync.Mutex
	random *rand.Rand
	now    weather
	rate   float64 // of requests that now happens to
	count  [weathers]int
}

func newProxy(target *url.URL, seed uint64) *proxy {
	p := &proxy{
		target: target, random: rand.New(rand.NewPCG(seed, 'p')),
		onward: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
	}
	p.Server = httptest.NewServer(p)
	return p
}

// set changes the weather: what happens, and to which share of the requests.
func (p *proxy) set(now weather, rate float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.rate = now, rate
}

// draw is what happens to the next request, and how long and how badly.
func (p *proxy) draw(method string) (now weather, wait time.Duration, coin bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.random.Float64() >= p.rate {
		return calm, 0, false
	}
	now = p.now
	if now == doubled && method != http.MethodPut {
		now = calm
	}
	p.count[now]++
	return now, time.Duration(p.random.Int64N(int64(requestTimeout * 3 / 2))), p.random.IntN(2) == 0
}

// troubles is how many requests met each weather.
func (p *proxy) troubles() [weathers]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

// clear makes the weather calm and waits until every request has landed.
func (p *proxy) clear() {
	p.set(calm, 0)
	p.flying.Wait()
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.flying.Add(1)
	defer p.flying.Done()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // its sender is dead
	}
	now, wait, coin := p.draw(r.Method)
	switch now {
	case noQuestion:
		panic(http.ErrAbortHandler)
	case delayed:
		time.Sleep(wait)
	case doubled:
		if coin { // the copy comes late
			p.flying.Add(1)
			go func() {
				defer p.flying.Done()
				time.Sleep(wait)
				p.drop(r, body)
			}()
		} else { // the copy comes first, and the answer is that of the second
			p.drop(r, body)
		}
	}
	resp, err := p.send(r, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	if now == noAnswer {
		_, _ = io.Copy(io.Discard, resp.Body)
		if coin {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

// send passes a request on, whether or not its sender still waits.
func (p *proxy) send(r *http.Request, body []byte) (*http.Response, error) {
	to := *r.URL
	to.Scheme, to.Host = p.target.Scheme, p.target.Host
	q, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header = r.Header.Clone()
	for _, own := range []string{"Connection", "Expect"} { // of the sender's connection, not of the request
		q.Header.Del(own)
	}
	q.Host = r.Host // it is signed
	return p.onward.RoundTrip(q)
}

// drop sends a request and forgets the answer.
func (p *proxy) drop(r *http.Request, body []byte) {
	if resp, err := p.send(r, body); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

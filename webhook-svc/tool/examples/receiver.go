package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

var (
	secrets = strings.Fields(os.Getenv("SERVICE_WEBHOOK_SECRET")) // two while the secret is rotated
	events  = map[string]bool{"listing.published": true, "listing.updated": true, "tip.paid": true, "ranking.moved": true, "ping": true}
	isID    = regexp.MustCompile(`^[0-9a-f-]{36}$`).MatchString
	lock    sync.Mutex
	arrived = make(chan struct{}, 1)
)

type message struct {
	ID    string `json:"id"`
	Event string `json:"event"`
}

func handle(it message) error {
	fmt.Println("handled", it.ID, it.Event)
	return nil
}

func isSigned(header http.Header, body []byte) bool {
	timestamp := header.Get("x-service-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	if age := time.Now().Unix() - seconds; age > 300 || age < -300 {
		return false
	}
	for _, secret := range secrets {
		code := hmac.New(sha256.New, []byte(secret))
		code.Write([]byte(timestamp + "."))
		code.Write(body)
		for _, name := range []string{"x-service-signature", "x-service-signature-next"} {
			signature, err := hex.DecodeString(header.Get(name))
			if err == nil && hmac.Equal(signature, code.Sum(nil)) {
				return true
			}
		}
	}
	return false
}

// save stores a message, unless its id is known, so that a crash does not lose it.
func save(id string, body []byte) error {
	lock.Lock()
	defer lock.Unlock()
	for _, state := range []string{".new", ".handled", ".failed"} {
		if _, err := os.Stat("messages/" + id + state); err == nil {
			return nil
		}
	}
	file, err := os.CreateTemp("messages", "tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // else a full disk would stay full of messages that could not be stored
	defer file.Close()
	if _, err := file.Write(body); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return os.Rename(file.Name(), "messages/"+id+".new")
}

func receive(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("accept-encoding", "identity")
	if coding := r.Header.Get("content-encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		w.WriteHeader(http.StatusUnsupportedMediaType) // a body is read as it is
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 256<<10))
	if err != nil || !isSigned(r.Header, body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if !utf8.Valid(body) || !json.Valid(body) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var it message
	if json.Unmarshal(body, &it) != nil || !events[it.Event] || !isID(it.ID) {
		return // 200
	}
	if save(it.ID, body) != nil {
		w.WriteHeader(http.StatusServiceUnavailable) // we send it again
		return
	}
	wake()
}

func wake() {
	select {
	case arrived <- struct{}{}:
	default:
	}
}

type failure struct {
	attempts int
	due      time.Time
}

// work handles the messages. One that fails is tried again after 1, 2, 4 and 8 seconds, then it is set aside.
func work() {
	failures := map[string]failure{}
	for ; ; <-arrived {
		files, _ := filepath.Glob("messages/*.new")
		for _, file := range files {
			var it message
			body, err := os.ReadFile(file)
			if err != nil || json.Unmarshal(body, &it) != nil {
				log.Fatal("cannot read ", file)
			}
			failed := failures[it.ID]
			if time.Now().Before(failed.due) {
				continue
			}
			state := ".handled"
			if err := handle(it); err != nil && failed.attempts < 4 {
				log.Print(it.ID, " failed and is tried again: ", err)
				wait := time.Second << failed.attempts
				failures[it.ID] = failure{failed.attempts + 1, time.Now().Add(wait)}
				time.AfterFunc(wait, wake)
				continue
			} else if err != nil {
				log.Print(it.ID, " failed and is set aside: ", err)
				state = ".failed"
			}
			delete(failures, it.ID)
			lock.Lock()
			err = os.Rename(file, "messages/"+it.ID+state)
			lock.Unlock()
			if err != nil {
				log.Fatal(err)
			}
		}
	}
}

func main() {
	isSet := len(secrets) > 0
	for _, secret := range secrets {
		isSet = isSet && strings.HasPrefix(secret, "svc_whsec_")
	}
	if !isSet {
		log.Fatal("Set SERVICE_WEBHOOK_SECRET to the whole signing secret.")
	}
	if err := os.MkdirAll("messages", 0o700); err != nil {
		log.Fatal(err)
	}
	go work()
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(receive)))
}

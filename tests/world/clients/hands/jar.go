// Go's client: asks what each line of the input says, `METHOD URL`. The first argument is `alone` or `kept` (with what keeps the place).
package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
)

func main() {
	client := &http.Client{}
	if os.Args[1] == "kept" {
		client.Jar, _ = cookiejar.New(nil)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		method, url, _ := strings.Cut(lines.Text(), " ")
		request, _ := http.NewRequest(method, url, nil)
		answer, err := client.Do(request)
		if err != nil {
			fmt.Println(err)
			continue
		}
		answer.Body.Close()
		fmt.Println(answer.StatusCode)
	}
}

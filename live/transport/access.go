package transport

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// Access says who may do what. The zero value lets everybody do everything, which is for
// loopback addresses only.
type Access struct {
	tokens []token
}

type token struct {
	sum  [sha256.Size]byte
	role live.Role
}

const minToken = 16 // characters

// ReadAccess reads a file with a line "ROLE TOKEN" for each token. Empty lines and those
// that begin with # are left out.
func ReadAccess(path string) (*Access, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a := &Access{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, secret, _ := strings.Cut(line, " ")
		role, err := live.ParseRole(name)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if secret = strings.TrimSpace(secret); len(secret) < minToken {
			return nil, fmt.Errorf("%s:%d: the token has %d characters, want at least %d", path, n, len(secret), minToken)
		}
		a.tokens = append(a.tokens, token{sha256.Sum256([]byte(secret)), role})
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(a.tokens) == 0 {
		return nil, fmt.Errorf("%s has no token, want a line such as \"operate TOKEN\"", path)
	}
	return a, nil
}

var errToken = errors.New("the token is missing or wrong, want one that the server knows")

// role returns the role of a token. Its time does not depend on which part of a token is
// right.
func (a *Access) role(secret string) (live.Role, error) {
	if a == nil || len(a.tokens) == 0 {
		return live.Operate, nil
	}
	sum, role, found := sha256.Sum256([]byte(secret)), live.Watch, 0
	for i := range a.tokens {
		t := &a.tokens[i]
		if subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1 {
			role, found = max(role, t.role), 1
		}
	}
	if found == 0 {
		return 0, errToken
	}
	return role, nil
}

// Loopback reports whether an address such as "127.0.0.1:8080" can be reached from this
// machine only.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// SelfMade makes a certificate for a host, valid for a year, and returns the SHA-256 of it
// in hexadecimal, by which clients can recognise it.
func SelfMade(host string) (cert tls.Certificate, fingerprint string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, "", err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return cert, "", err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "polyrhythm"},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.AddDate(1, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else if host != "" {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return cert, "", err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, Fingerprint(der), nil
}

// Fingerprint is the SHA-256 of a certificate, in hexadecimal.
func Fingerprint(certificate []byte) string { return fmt.Sprintf("%x", sha256.Sum256(certificate)) }

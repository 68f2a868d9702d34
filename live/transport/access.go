package transport

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/live"
)

// Access says who may do what. The zero value lets everybody do everything, which is for loopback addresses only.
type Access struct {
	roles map[[sha256.Size]byte]live.Role // by the sums of tokens: the time of a look-up says nothing of a token
}

const minToken = 16 // characters

// ReadAccess reads a file with a line "ROLE TOKEN" for each token, which has one role. Empty lines and those
// that begin with # are left out.
func ReadAccess(path string) (*Access, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a := &Access{roles: map[[sha256.Size]byte]live.Role{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, secret, _ := strings.Cut(line, " ")
		role, err := live.ParseRole(name)
		if err != nil {
			// which does not quote the line: it may be a token
			return nil, fmt.Errorf("%s:%d: the line begins with no role, want watch, steer or operate and a token", path, n)
		}
		if secret = strings.TrimSpace(secret); len(secret) < minToken {
			return nil, fmt.Errorf("%s:%d: the token has %d characters, want at least %d", path, n, len(secret), minToken)
		}
		sum := sha256.Sum256([]byte(secret))
		if other, ok := a.roles[sum]; ok && other != role {
			return nil, fmt.Errorf("%s:%d: the token has the role %v here and %v in a line before, want one role of each token",
				path, n, role, other)
		}
		a.roles[sum] = role
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(a.roles) == 0 {
		return nil, fmt.Errorf("%s has no token, want a line such as \"operate TOKEN\"", path)
	}
	return a, nil
}

var errToken = errors.New("the token is missing or wrong, want one that the server knows")

func (a *Access) role(secret string) (live.Role, error) {
	if a == nil || len(a.roles) == 0 {
		return live.Operate, nil
	}
	role, ok := a.roles[sha256.Sum256([]byte(secret))]
	if !ok {
		return 0, errToken
	}
	return role, nil
}

// Loopback reports whether an address such as "127.0.0.1:8080" can be reached from this machine only.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// SelfMade makes a certificate for some hosts, valid at any time, and returns the SHA-256 of it
// in hexadecimal, by which clients can recognise it.
func SelfMade(hosts ...string) (cert tls.Certificate, fingerprint string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, "", err
	}
	// Robots have clocks that begin in 1970, and the server's may be set while it runs: who knows the sum knows the
	// server, whatever the time is. A certificate that does not expire ends as RFC 5280 says.
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "polyrhythm"},
		NotBefore:   time.Unix(0, 0),
		NotAfter:    time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else if host != "" {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return cert, "", err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, Fingerprint(der), nil
}

// Fingerprint is the SHA-256 of a certificate, in hexadecimal.
func Fingerprint(certificate []byte) string { return fmt.Sprintf("%x", sha256.Sum256(certificate)) }

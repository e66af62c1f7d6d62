package port_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/port"
)

func TestDateIn(t *testing.T) {
	for name, want := range map[string]string{
		"hub-2019-03-04.zip":                        "2019-03-04T00:00:00Z",
		"2019_03_04":                                "2019-03-04T00:00:00Z",
		"20190304.tar.gz":                           "2019-03-04T00:00:00Z",
		"hub.2019.03.04.zip":                        "2019-03-04T00:00:00Z",
		"2019-03-04_10-20-30.zip":                   "2019-03-04T10:20:30Z",
		"20190304-1020.zip":                         "2019-03-04T10:20:00Z",
		"20190304102030.zip":                        "2019-03-04T10:20:30Z",
		"hub 2019-03-04T10:20:30Z":                  "2019-03-04T10:20:30Z",
		"hub 2019-03-04 at 10.20.30.zip":            "2019-03-04T10:20:30Z",
		"2019-03-04--10-20.zip":                     "2019-03-04T10:20:00Z",
		"Backup--hub--2014-3-9--1-15.zip":           "2014-03-09T00:00:00Z",
		"hub-1.20.4-2024-01-05.zip":                 "2024-01-05T00:00:00Z",
		"hub_2019-03-04_1.12.2.zip":                 "2019-03-04T00:00:00Z",
		"hub-2019-03-04 (2).zip":                    "2019-03-04T00:00:00Z",
		"2019-03-04-9999.zip":                       "2019-03-04T00:00:00Z", // no time of a day
		"2019-02-30 as 2019-03-02.zip":              "2019-03-02T00:00:00Z",
		"hub-20190304x.zip":                         "2019-03-04T00:00:00Z",
		"hub.zip":                                   "",
		"hub-2019.zip":                              "",
		"04-03-2019.zip":                            "",
		"2019-13-04.zip":                            "",
		"120190304.zip":                             "",
		"1066-10-14.zip":                            "",
		"hub-1551693600.zip":                        "",
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2": "",
	} {
		got := ""
		if at := port.DateIn(name); !at.IsZero() {
			got = at.Format("2006-01-02T15:04:05.999Z07:00")
		}
		if got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
}

func TestUndated(t *testing.T) {
	for name, want := range map[string]string{
		"hub-2019-03-04.zip":                 "hub-",
		"hub.tar.gz":                         "hub",
		"world2019-03-04":                    "world",
		"2019-03-04_10-20-30_New World.zip":  "New World",
		"2019-03-04_10-20-30.zip":            "",
		"Backup--hub--2014-3-9--1-15.zip":    "Backup--hub--",
		"Backup--hub--2014-3-10--12-15.zip":  "Backup--hub--",
		"hub-1.20.4-2024-01-05-full (2).zip": "hub-1.20.4-full (2)",
		"arena 7":                            "arena 7",
	} {
		if got := port.Undated(name); got != want {
			t.Errorf("%s without its date is %q, want %q", name, got, want)
		}
	}
}

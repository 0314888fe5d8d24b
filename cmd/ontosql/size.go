package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// parseSize reads "512MiB", "10GB", "1048576".
func parseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "BKMGTibkmgt ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(number):]))
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	factors := map[string]float64{
		"": 1, "B": 1,
		"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
		"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
	}
	factor, ok := factors[unit]
	if err != nil || !ok || n <= 0 {
		return 0, usagef("%q is no size: want a number and B, KiB, MiB, GiB, TiB, KB, MB, GB or TB", text)
	}
	return int64(n * factor), nil
}

// machineMemory is the memory this process may use, from the kernel; 4 GiB
// where it does not say.
func machineMemory() int64 {
	const guess = 4 << 30
	total := int64(guess)
	f, err := os.Open("/proc/meminfo")
	if err == nil {
		defer f.Close()
		scan := bufio.NewScanner(f)
		for scan.Scan() {
			if rest, ok := strings.CutPrefix(scan.Text(), "MemTotal:"); ok {
				if kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64); err == nil {
					total = kib << 10
				}
			}
		}
	}
	if raw, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64); err == nil && limit > 0 {
			total = min(total, limit)
		}
	}
	return total
}

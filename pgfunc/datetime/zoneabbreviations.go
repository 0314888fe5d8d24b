package datetime

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// zoneAbbreviations are those that PostgreSQL reads (timezonesets/Default): hours east of
// UTC, or the zone that tells them.
//
//nolint:misspell // these are names
const zoneAbbreviations = `
ACDT+10:30 ACSST+10:30 ACST+9:30 ACT-5 ACWST+8:45 ADT-3 AEDT+11 AESST+11 AEST+10 AFT+4:30 AKDT-8 AKST-9
ALMST+7 ALMT+6 AMT-4 AST-4 AWSST+9 AWST+8 AZOST+0 AZOT-1 BDST+2 BDT+6 BNT+8 BORT+8 BOT-4 BRA-3 BRST-2 BRT-3
BST+1 BTT+6 CADT+10:30 CAST+9:30 CCT+8 CDT-5 CEST+2 CET+1 CETDST+2 CHADT+13:45 CHAST+12:45 CHUT+10 CLST-3
COT-5 CST-6 CXT+7 DDUT+10 EAT+3 EDT-4 EEST+3 EET+2 EETDST+3 EGST+0 EGT-1 EST-5 FET+3 FJST+13 FJT+12 FNST-1
FNT-2 GALT-6 GAMT-9 GFT-3 GILT+12 GMT+0 HKT+8 HST-10 ICT+7 IDT+3 IRT+3:30 IST+2 JAYT+9 JST+9 KDT+10 KGST+6
KST+9 LHST+10:30 LIGT+10 MART-9:30 MDT-6 MEST+2 MESZ+2 MET+1 METDST+2 MEZ+1 MHT+12 MMT+6:30 MPT+10 MSD+4 MST-7
MUST+5 MUT+4 MVT+5 MYT+8 NDT-2:30 NFT-3:30 NPT+5:45 NST-3:30 NZDT+13 NZST+12 NZT+12 PDT-7 PET-5 PGT+10 PHT+8
PKST+6 PKT+5 PMDT-2 PMST-3 PONT+11 PST-8 PWT+9 PYST-3 RET+4 SADT+10:30 SAST+2 SCT+4 TAHT-10 TFT+5 TJT+5 TOT+13
TRUT+10 TVT+12 UCT+0 ULAST+9 UT+0 UTC+0 UYST-2 UYT-3 UZST+6 UZT+5 VUT+11 WADT+8 WAKT+12 WAST+7 WAT+1 WDT+9
WET+0 WETDST+1 WFT+12 WGST-2 WGT-3 XJT+6 YAPT+10 YEKST+6 Z+0 ZULU+0 AMST=Asia/Yerevan ANAST=Asia/Anadyr
ANAT=Asia/Anadyr ARST=America/Argentina/Buenos_Aires ART=America/Argentina/Buenos_Aires AZST=Asia/Baku
AZT=Asia/Baku CKT=Pacific/Rarotonga CLT=America/Santiago DAVT=Antarctica/Davis EASST=Pacific/Easter
EAST=Pacific/Easter FKST=Atlantic/Stanley FKT=Atlantic/Stanley GEST=Asia/Tbilisi GET=Asia/Tbilisi
GYT=America/Guyana IOT=Indian/Chagos IRKST=Asia/Irkutsk IRKT=Asia/Irkutsk KGT=Asia/Bishkek KOST=Pacific/Kosrae
KRAST=Asia/Krasnoyarsk KRAT=Asia/Krasnoyarsk LHDT=Australia/Lord_Howe LINT=Pacific/Kiritimati LKT=Asia/Colombo
MAGST=Asia/Magadan MAGT=Asia/Magadan MAWT=Antarctica/Mawson MSK=Europe/Moscow NOVST=Asia/Novosibirsk
NOVT=Asia/Novosibirsk NUT=Pacific/Niue OMSST=Asia/Omsk OMST=Asia/Omsk PETST=Asia/Kamchatka PETT=Asia/Kamchatka
PYT=America/Asuncion SGT=Asia/Singapore TKT=Pacific/Fakaofo TMT=Asia/Ashgabat ULAT=Asia/Ulaanbaatar
VET=America/Caracas VLAST=Asia/Vladivostok VLAT=Asia/Vladivostok VOLT=Europe/Volgograd YAKST=Asia/Yakutsk
YAKT=Asia/Yakutsk YEKT=Asia/Yekaterinburg
`

// Abbreviation is a zone by its abbreviation, in capitals or not: seconds east of UTC, or
// a name where these change.
type Abbreviation struct {
	Offset int
	Name   string
}

// POSIX is the zone as AT TIME ZONE takes it: a name, or hours to the west.
func (a Abbreviation) POSIX() string {
	if a.Name != "" {
		return a.Name
	}
	sign, seconds := '-', a.Offset
	if seconds < 0 {
		sign, seconds = '+', -seconds
	}
	return fmt.Sprintf("%c%d:%02d", sign, seconds/3600, seconds/60%60)
}

// ZoneAbbreviation finds an abbreviation; ok is false for an unknown one.
func ZoneAbbreviation(word string) (a Abbreviation, ok bool) {
	a, ok = abbreviations()[strings.ToUpper(word)]
	return a, ok
}

var abbreviations = sync.OnceValue(func() map[string]Abbreviation {
	all := map[string]Abbreviation{}
	for _, entry := range strings.Fields(zoneAbbreviations) {
		if word, name, ok := strings.Cut(entry, "="); ok {
			all[word] = Abbreviation{Name: name}
			continue
		}
		at := strings.IndexAny(entry, "+-")
		hours, minutes, _ := strings.Cut(entry[at+1:], ":")
		h, _ := strconv.Atoi(hours)
		m, _ := strconv.Atoi(minutes)
		offset := h*3600 + m*60
		if entry[at] == '-' {
			offset = -offset
		}
		all[entry[:at]] = Abbreviation{Offset: offset}
	}
	return all
})

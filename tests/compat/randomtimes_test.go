package compat

var timeGrammar = map[string][]string{
	"date":    {"({date} + 30)", "({date} - 400)", "({moment})::date", "({instant})::date", "greatest({date}, {date})", "date_trunc('quarter', {moment})::date", "({date} + ({int} % 1000)::int)", "coalesce({date}, '2024-05-05')", "make_date(2024, 1 + abs({int}) % 12, 1)", "to_date('2024-' || (1 + abs({int}) % 12), 'YYYY-MM')"},
	"moment":  {"({moment} + {span})", "({moment} - {span})", "({date})::timestamp", "({date} + {span})", "date_trunc('week', {moment})", "date_trunc('hour', {moment})", "({instant} AT TIME ZONE 'Europe/Berlin')", "({instant} AT TIME ZONE 'America/New_York')", "date_bin('15 minutes', {moment}, timestamp '2001-01-01')", "({date} + {time})", "date_trunc('decade', {moment})", "({moment})::timestamp(2)", "({instant})::timestamp", "CASE WHEN {bool} THEN {date} ELSE {moment} END"},
	"instant": {"({instant} + {span})", "({moment} AT TIME ZONE 'Asia/Kolkata')", "({moment} AT TIME ZONE 'Europe/Berlin')", "date_trunc('day', {instant}, 'America/New_York')", "({date})::timestamptz", "to_timestamp({int})", "({moment})::timestamptz", "({instant})::timestamptz(0)", "greatest({instant}, {moment})", "({moment} AT TIME ZONE interval '-5 hours')", "coalesce({instant}, {date})"},
	"span":    {"({moment} - {moment})", "({instant} - {instant})", "age({moment}, {moment})", "({span} + {span})", "({span} * 2)", "({span} * 0.3)", "({span} / 3)", "(-{span})", "justify_hours({span})", "justify_interval({span})", "make_interval(days => ({int})::int)", "({time} - {time})", "({time})::interval", "date_trunc('day', {span})", "justify_days({span})", "({span} * {int})", "age({instant}, {instant})", "({span})::interval day to minute"},
	"time":    {"({time} + {span})", "({time} - {span})", "({moment})::time", "({instant})::time", "({span})::time", "({time})::time(1)", "make_time(abs({int}) % 24, 0, 1.5)"},
}

var timeAtoms = map[string][]string{
	"date":    {".d", ".d", "date '2024-01-31'", "date '1999-03-01'", "date '2020-02-29'"},
	"moment":  {"timestamp '2024-03-31 02:30:00'", "timestamp '2000-01-01 00:00:00.999999'", "timestamp '1969-12-31 23:59:59.5'"},
	"instant": {".tz", ".tz", "timestamptz '2024-03-31 02:30:00+01'", "timestamptz '2024-11-03 01:30:00-04'"},
	"span":    {"interval '1 day'", "interval '1 month 2 days 03:04:05.678'", "interval '-90 minutes'", "interval '1 year'"},
	"time":    {"time '10:30'", "time '23:59:59.999'", "time '00:00'", "NULL::time"},
}

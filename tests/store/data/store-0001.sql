BEGIN TRANSACTION;
CREATE TABLE about (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE rightcall_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT rightcall_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "rightcall_version" VALUES('0001');
CREATE TABLE cases (
	run_key BIGINT NOT NULL, 
	golden_id TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	PRIMARY KEY (run_key, golden_id)
)
 WITHOUT ROWID

;
INSERT INTO "cases" VALUES(1,'hanoi','06bc2dc5bd65f57da5ec12a066399f19');
INSERT INTO "cases" VALUES(1,'hue','37d1405ba2dd403df858182a4d5f8887');
CREATE TABLE codes (
	result_id BIGINT NOT NULL, 
	position INTEGER NOT NULL, 
	run_key BIGINT NOT NULL, 
	code TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	parameter TEXT NOT NULL, 
	evidence BLOB NOT NULL, 
	PRIMARY KEY (result_id, position)
)
 WITHOUT ROWID

;
INSERT INTO "codes" VALUES(1,0,1,'wrong_value','get_weather','city',X'7B22636F6465223A2277726F6E675F76616C7565222C22746F6F6C223A226765745F77656174686572222C22706172616D65746572223A2263697479222C226578706563746564223A2248616E6F69222C2261637475616C223A22487565227D');
CREATE TABLE documents (
	kind TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (kind, fingerprint)
);
INSERT INTO "documents" VALUES('tools','abc',X'789C8B8E0500011500B9');
CREATE TABLE goldens (
	fingerprint TEXT NOT NULL, 
	input TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (fingerprint)
);
INSERT INTO "goldens" VALUES('06bc2dc5bd65f57da5ec12a066399f19','Weather in Hanoi?',X'7B22696E707574223A225765617468657220696E2048616E6F693F222C226964223A2268616E6F69227D');
INSERT INTO "goldens" VALUES('37d1405ba2dd403df858182a4d5f8887','Weather in Hue?',X'7B22696E707574223A225765617468657220696E204875653F222C226964223A22687565227D');
CREATE TABLE metrics (
	"key" INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	PRIMARY KEY ("key"), 
	UNIQUE (name)
);
INSERT INTO "metrics" VALUES(1,'overall');
CREATE TABLE results (
	id INTEGER NOT NULL, 
	run_key BIGINT NOT NULL, 
	golden_id TEXT NOT NULL, 
	trial BIGINT NOT NULL, 
	outcome SMALLINT NOT NULL, 
	passed BOOLEAN NOT NULL, 
	score DOUBLE, 
	category TEXT NOT NULL, 
	error TEXT NOT NULL, 
	latency_ms DOUBLE, 
	input_tokens BIGINT NOT NULL, 
	output_tokens BIGINT NOT NULL, 
	cost_usd DOUBLE, 
	PRIMARY KEY (id), 
	CONSTRAINT results_once UNIQUE (run_key, golden_id, trial)
);
INSERT INTO "results" VALUES(1,1,'hanoi',0,0,0,0.5,'golden','',NULL,10,2,0.5);
INSERT INTO "results" VALUES(2,1,'hue',0,1,1,1.0,'golden','',NULL,0,0,NULL);
CREATE TABLE runs (
	"key" INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	group_name TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	trials BIGINT NOT NULL, 
	seed TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	finished_at TEXT, 
	updated_at TEXT NOT NULL, 
	verdict TEXT NOT NULL, 
	planned BIGINT NOT NULL, 
	results BIGINT NOT NULL, 
	passed BIGINT NOT NULL, 
	errors BIGINT NOT NULL, 
	input_tokens BIGINT NOT NULL, 
	output_tokens BIGINT NOT NULL, 
	cost_usd DOUBLE, 
	fingerprints BLOB NOT NULL, 
	versions BLOB NOT NULL, 
	settings BLOB NOT NULL, 
	summary BLOB, 
	PRIMARY KEY ("key"), 
	UNIQUE (id)
);
INSERT INTO "runs" VALUES(1,'old-run','weather','','scripted:x',1,'0','2026-01-02T03:04:05.000000Z',NULL,'2026-11-15T04:23:46.348315Z','',2,2,1,0,10,2,0.5,X'7B22746F6F6C73223A22616263227D',X'7B7D',X'7B7D',NULL);
CREATE TABLE scores (
	result_id BIGINT NOT NULL, 
	position INTEGER NOT NULL, 
	metric_key BIGINT NOT NULL, 
	value DOUBLE, 
	passed BOOLEAN NOT NULL, 
	reason TEXT NOT NULL, 
	error TEXT NOT NULL, 
	codes BLOB, 
	PRIMARY KEY (result_id, position)
)
 WITHOUT ROWID

;
INSERT INTO "scores" VALUES(1,0,1,0.5,0,'wrong city','',NULL);
INSERT INTO "scores" VALUES(2,0,1,1.0,1,'','',NULL);
CREATE TABLE trajectories (
	result_id INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (result_id)
);
INSERT INTO "trajectories" VALUES(2,X'7801AB56CA2F2D29282D51B2522A2ECDCBAB541825691D024AB500C5199238');
CREATE INDEX runs_by_time ON runs (started_at, "key");
CREATE INDEX runs_by_name ON runs (name, started_at, "key");
CREATE INDEX runs_by_group ON runs (group_name, started_at, "key");
CREATE INDEX cases_by_golden ON cases (fingerprint);
CREATE INDEX results_by_outcome ON results (run_key, outcome, golden_id, trial);
CREATE INDEX codes_by_run ON codes (run_key, code);
COMMIT;

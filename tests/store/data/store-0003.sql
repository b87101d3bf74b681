BEGIN TRANSACTION;
CREATE TABLE about (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "about" VALUES('written_by','0.1.0');
CREATE TABLE alarms (
	"key" INTEGER NOT NULL, 
	agent TEXT NOT NULL, 
	name TEXT NOT NULL, 
	version TEXT NOT NULL, 
	raised_at TEXT NOT NULL, 
	acknowledged_at TEXT, 
	content BLOB NOT NULL, 
	PRIMARY KEY ("key")
);
CREATE TABLE case_tags (
	run_key BIGINT NOT NULL, 
	golden_id TEXT NOT NULL, 
	tag TEXT NOT NULL, 
	PRIMARY KEY (run_key, golden_id, tag)
)
 WITHOUT ROWID

;
CREATE TABLE cases (
	run_key BIGINT NOT NULL, 
	golden_id TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	PRIMARY KEY (run_key, golden_id)
)
 WITHOUT ROWID

;
INSERT INTO "cases" VALUES(1,'hanoi','06bc2dc5bd65f57da5ec12a066399f19');
INSERT INTO "cases" VALUES(1,'hue','9a043516a7b0ae02bbeca0460156e032');
CREATE TABLE check_counts (
	agent TEXT NOT NULL, 
	version TEXT NOT NULL, 
	name TEXT NOT NULL, 
	day TEXT NOT NULL, 
	seen BIGINT NOT NULL, 
	bad DOUBLE NOT NULL, 
	weight DOUBLE NOT NULL, 
	weighted_bad DOUBLE NOT NULL, 
	PRIMARY KEY (agent, version, name, day)
)
 WITHOUT ROWID

;
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
INSERT INTO "codes" VALUES(2,0,1,'wrong_value','get_weather','city',X'7B22636F6465223A2277726F6E675F76616C7565222C22746F6F6C223A226765745F77656174686572222C22706172616D65746572223A2263697479222C226578706563746564223A2248616E6F69222C2261637475616C223A22487565222C2263616C6C223A307D');
CREATE TABLE dataset_items (
	dataset_key BIGINT NOT NULL, 
	position INTEGER NOT NULL, 
	golden_id TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	PRIMARY KEY (dataset_key, position)
)
 WITHOUT ROWID

;
CREATE TABLE datasets (
	"key" INTEGER NOT NULL, 
	alias TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	finalized BOOLEAN NOT NULL, 
	author TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	goldens BIGINT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	PRIMARY KEY ("key"), 
	CONSTRAINT datasets_once UNIQUE (alias, version)
);
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
INSERT INTO "goldens" VALUES('9a043516a7b0ae02bbeca0460156e032','Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? Weather in Hue? ',X'7801AB56CACC2B282D51B2520A4F4D2CC9482D52C8CC53F0284DB55718E50FAFF050D251CA4C01C6734669AA522D008FC4A918');
CREATE TABLE metrics (
	"key" INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	PRIMARY KEY ("key"), 
	UNIQUE (name)
);
INSERT INTO "metrics" VALUES(1,'call_f1');
INSERT INTO "metrics" VALUES(2,'call_precision');
INSERT INTO "metrics" VALUES(3,'call_recall');
INSERT INTO "metrics" VALUES(4,'call_soft_f1');
INSERT INTO "metrics" VALUES(5,'content');
INSERT INTO "metrics" VALUES(6,'latency');
INSERT INTO "metrics" VALUES(7,'order');
INSERT INTO "metrics" VALUES(8,'overall');
INSERT INTO "metrics" VALUES(9,'parameter_accuracy');
INSERT INTO "metrics" VALUES(10,'tool_f1');
INSERT INTO "metrics" VALUES(11,'tool_precision');
INSERT INTO "metrics" VALUES(12,'tool_recall');
INSERT INTO "metrics" VALUES(13,'graded');
INSERT INTO "metrics" VALUES(14,'judge');
INSERT INTO "metrics" VALUES(15,'mine');
CREATE TABLE notes (
	"key" INTEGER NOT NULL, 
	run_key BIGINT NOT NULL, 
	golden_id TEXT NOT NULL, 
	text TEXT NOT NULL, 
	author TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
CREATE TABLE received (
	"key" INTEGER NOT NULL, 
	trace_id TEXT NOT NULL, 
	received_at TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY ("key")
);
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
INSERT INTO "results" VALUES(1,1,'hanoi',0,1,1,1.0,'golden','',12.5,100,20,0.25);
INSERT INTO "results" VALUES(2,1,'hanoi',1,0,0,0.5,'golden','',12.5,100,20,0.25);
INSERT INTO "results" VALUES(3,1,'hanoi',2,1,1,1.0,'golden','',12.5,100,20,0.25);
INSERT INTO "results" VALUES(4,1,'hue',0,2,0,0.0,'golden','judge: no answer',NULL,0,0,NULL);
INSERT INTO "results" VALUES(5,1,'hue',1,1,1,1.0,'golden','',NULL,0,0,NULL);
CREATE TABLE rightcall_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT rightcall_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "rightcall_version" VALUES('0003');
CREATE TABLE run_tags (
	run_key BIGINT NOT NULL, 
	tag TEXT NOT NULL, 
	PRIMARY KEY (run_key, tag)
)
 WITHOUT ROWID

;
INSERT INTO "run_tags" VALUES(1,'kept');
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
INSERT INTO "runs" VALUES(1,'old-run','weather','','openai:gpt',1,'0','2026-01-02T03:04:05.000000Z',NULL,'2026-11-15T15:21:35.852667Z','',6,5,3,1,300,60,0.75,X'7B22746F6F6C73223A22616263227D',X'7B7D',X'7B7D',NULL);
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
INSERT INTO "scores" VALUES(1,0,2,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,1,3,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,2,1,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,3,4,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,4,11,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,5,12,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,6,10,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,7,9,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,8,7,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,9,5,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,10,6,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(1,11,8,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,0,2,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,1,3,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,2,1,0.0,0,'get_weather: ''city'' is ''Hue'', expected ''Hanoi''','',NULL);
INSERT INTO "scores" VALUES(2,3,4,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,4,11,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,5,12,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,6,10,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,7,9,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,8,7,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,9,5,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,10,6,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(2,11,8,0.5,0,'get_weather: ''city'' is ''Hue'', expected ''Hanoi''','',X'5B7B22636F6465223A2277726F6E675F76616C7565222C22746F6F6C223A226765745F77656174686572222C22706172616D65746572223A2263697479222C226578706563746564223A2248616E6F69222C2261637475616C223A22487565222C2263616C6C223A307D5D');
INSERT INTO "scores" VALUES(3,0,2,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,1,3,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,2,1,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,3,4,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,4,11,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,5,12,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,6,10,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,7,9,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,8,7,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,9,5,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,10,6,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(3,11,8,1.0,1,'','',NULL);
INSERT INTO "scores" VALUES(4,0,15,NULL,0,'nul 0 and 1','',NULL);
INSERT INTO "scores" VALUES(4,1,14,0.0,0,'','Huế: no answer',NULL);
INSERT INTO "scores" VALUES(4,2,13,0.9,1,'close','',NULL);
CREATE TABLE traces (
	"key" INTEGER NOT NULL, 
	trace_id TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	version TEXT NOT NULL, 
	session TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	input TEXT NOT NULL, 
	calls BIGINT NOT NULL, 
	latency_ms DOUBLE, 
	tokens BIGINT NOT NULL, 
	failed BOOLEAN NOT NULL, 
	review TEXT NOT NULL, 
	seen BIGINT NOT NULL, 
	signature TEXT NOT NULL, 
	checks BLOB NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY ("key"), 
	UNIQUE (trace_id)
);
CREATE TABLE trajectories (
	result_id INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (result_id)
);
INSERT INTO "trajectories" VALUES(1,X'7801ED91410AC2400C45AF22591751C44D376EBD839412C6300ECEB432C920A5F4626E3C8B37F117C51BE8CADDCFCF2781FF464AA2CA5E94EAC348B98F423515954C15B9BE33E90CC655D84E92778BBFF86A0934551F08AC1AD418FD8304C7F822D4719A0979B1F6CD026BCEBE2490426424176C40625F1EB73BEE513862726BC4D4E442F56A166C0561EACFB02383B21BDA0467B3DC4ECDD4FCFCE31394C3E4AF');
INSERT INTO "trajectories" VALUES(2,X'7801ED91410AC2400C45AF22591751C44D376EBD839412C6300ECEB432C920A5F4626E3C8B37F117C51BE8CADDCFCF2781FF464AA2CA5E94EAC348B98F423515954C15B9BE33E90CC655D84E92778BBFF86A0934551F08AC1AD418FD8304C7F822D4719A0979B1F6CD026BCEBE2490426424176C40625F1EB73BEE513862726BC4D4E442F56A166C0561EACFB02383B21BDA0467B3DC4ECDD4FCFCE31394C3E4AF');
INSERT INTO "trajectories" VALUES(3,X'7801ED91410AC2400C45AF22591751C44D376EBD839412C6300ECEB432C920A5F4626E3C8B37F117C51BE8CADDCFCF2781FF464AA2CA5E94EAC348B98F423515954C15B9BE33E90CC655D84E92778BBFF86A0934551F08AC1AD418FD8304C7F822D4719A0979B1F6CD026BCEBE2490426424176C40625F1EB73BEE513862726BC4D4E442F56A166C0561EACFB02383B21BDA0467B3DC4ECDD4FCFCE31394C3E4AF');
CREATE TABLE watch_states (
	kind TEXT NOT NULL, 
	name TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (kind, name)
)
 WITHOUT ROWID

;
CREATE INDEX runs_by_time ON runs (started_at, "key");
CREATE INDEX runs_by_name ON runs (name, started_at, "key");
CREATE INDEX runs_by_group ON runs (group_name, started_at, "key");
CREATE INDEX cases_by_golden ON cases (fingerprint);
CREATE INDEX results_by_outcome ON results (run_key, outcome, golden_id, trial);
CREATE INDEX codes_by_run ON codes (run_key, code);
CREATE INDEX run_tags_by_tag ON run_tags (tag, run_key);
CREATE INDEX notes_by_case ON notes (run_key, golden_id);
CREATE INDEX dataset_items_by_golden ON dataset_items (fingerprint);
CREATE INDEX received_by_trace ON received (trace_id, "key");
CREATE INDEX traces_by_time ON traces (started_at, "key");
CREATE INDEX traces_by_agent ON traces (agent, started_at, "key");
CREATE INDEX traces_by_outcome ON traces (failed, started_at, "key");
CREATE INDEX traces_by_review ON traces (review, failed, started_at, "key");
CREATE INDEX traces_by_signature ON traces (signature);
CREATE INDEX alarms_by_time ON alarms (raised_at, "key");
COMMIT;

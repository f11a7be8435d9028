-- Where the migrations lead; made by scripts/schema_page.py, never edited.
BEGIN IMMEDIATE;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0014');
CREATE TABLE chats (
	plan_id VARCHAR(26) NOT NULL, 
	client VARCHAR(16) NOT NULL, 
	client_session TEXT NOT NULL, 
	root TEXT NOT NULL, 
	root_inode TEXT NOT NULL, 
	pid TEXT NOT NULL, 
	last_event_at DATETIME NOT NULL, 
	CONSTRAINT pk_chats PRIMARY KEY (plan_id), 
	CONSTRAINT fk_chats_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id)
);
CREATE TABLE "checkpoints" (
	checkpoint_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	seq INTEGER NOT NULL, 
	decision_id VARCHAR(26), 
	checkpoint_type VARCHAR(16) NOT NULL, 
	resource_id VARCHAR(26), 
	sandbox_ref VARCHAR(64) NOT NULL, 
	filesystem_path TEXT NOT NULL, 
	size_bytes INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	label TEXT, 
	step_index INTEGER NOT NULL, 
	state_hash VARCHAR(64) NOT NULL, 
	metadata_json TEXT NOT NULL, 
	parent_id VARCHAR(26), 
	pinned BOOLEAN NOT NULL, 
	CONSTRAINT pk_checkpoints PRIMARY KEY (checkpoint_id), 
	CONSTRAINT fk_checkpoints_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id), 
	CONSTRAINT fk_checkpoints_resource_id FOREIGN KEY(resource_id) REFERENCES sandboxes (sandbox_id), 
	CONSTRAINT fk_checkpoints_decision_id FOREIGN KEY(decision_id) REFERENCES decisions (decision_id) ON DELETE SET NULL
);
CREATE TABLE conflicts (
	conflict_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	path BLOB NOT NULL, 
	source TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	versions_json TEXT NOT NULL, 
	refs_json TEXT NOT NULL, 
	closed_by VARCHAR(26), 
	taken TEXT, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_conflicts PRIMARY KEY (conflict_id), 
	CONSTRAINT fk_conflicts_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id)
);
CREATE TABLE correction_attempts (
	correction_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	decision_id VARCHAR(26), 
	intervention_id VARCHAR(26) NOT NULL, 
	mode VARCHAR(16) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	guidance TEXT NOT NULL, 
	chosen TEXT, 
	before_id VARCHAR(26), 
	subtree_json TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_correction_attempts PRIMARY KEY (correction_id), 
	CONSTRAINT fk_correction_attempts_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id), 
	CONSTRAINT fk_correction_attempts_decision_id FOREIGN KEY(decision_id) REFERENCES decisions (decision_id), 
	CONSTRAINT fk_correction_attempts_intervention_id FOREIGN KEY(intervention_id) REFERENCES decisions (decision_id), 
	CONSTRAINT fk_correction_attempts_before_id FOREIGN KEY(before_id) REFERENCES checkpoints (checkpoint_id) ON DELETE SET NULL
);
CREATE TABLE decision_influences (
	decision_id VARCHAR(26) NOT NULL, 
	influenced_by VARCHAR(26) NOT NULL, 
	CONSTRAINT pk_decision_influences PRIMARY KEY (decision_id, influenced_by), 
	CONSTRAINT fk_decision_influences_decision_id FOREIGN KEY(decision_id) REFERENCES decisions (decision_id), 
	CONSTRAINT fk_decision_influences_influenced_by FOREIGN KEY(influenced_by) REFERENCES decisions (decision_id)
);
CREATE TABLE decisions (
	decision_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	parent_id VARCHAR(26), 
	seq INTEGER NOT NULL, 
	decision_type VARCHAR(32) NOT NULL, 
	question TEXT NOT NULL, 
	chosen TEXT NOT NULL, 
	alternatives_json TEXT NOT NULL, 
	confidence FLOAT, 
	rationale TEXT, 
	checkpoint_id VARCHAR(26), 
	superseded_by VARCHAR(26), 
	created_at DATETIME NOT NULL, cursor TEXT, 
	CONSTRAINT pk_decisions PRIMARY KEY (decision_id), 
	CONSTRAINT uq_decisions_plan_id_seq UNIQUE (plan_id, seq), 
	CONSTRAINT fk_decisions_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id), 
	CONSTRAINT fk_decisions_parent_id FOREIGN KEY(parent_id) REFERENCES decisions (decision_id), 
	CONSTRAINT fk_decisions_checkpoint_id FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (checkpoint_id) ON DELETE SET NULL
);
CREATE TABLE heads (
	head_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	CONSTRAINT pk_heads PRIMARY KEY (head_id)
);
CREATE TABLE journal (
	plan_id VARCHAR(26) NOT NULL, 
	seq INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	ref_id VARCHAR(26) NOT NULL, 
	detail_json TEXT NOT NULL, 
	CONSTRAINT pk_journal PRIMARY KEY (plan_id, seq), 
	CONSTRAINT fk_journal_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id)
);
CREATE TABLE moments (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	plan_id VARCHAR(26) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	turn INTEGER NOT NULL, 
	client_turn TEXT NOT NULL, 
	call TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	text TEXT NOT NULL, 
	paths_json TEXT NOT NULL, 
	may_write BOOLEAN NOT NULL, 
	failed BOOLEAN NOT NULL, 
	happened_at DATETIME NOT NULL, 
	"key" TEXT NOT NULL, 
	input TEXT NOT NULL, 
	checkpoint_id VARCHAR(26), 
	is_late BOOLEAN NOT NULL, 
	left_running BOOLEAN NOT NULL, 
	operation_id VARCHAR(26), 
	CONSTRAINT fk_moments_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id), 
	CONSTRAINT fk_moments_checkpoint_id FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (checkpoint_id) ON DELETE SET NULL, 
	CONSTRAINT uq_moments_plan_id_key UNIQUE (plan_id, "key")
);
CREATE TABLE operations (
	operation_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	intent_json TEXT NOT NULL, 
	outcome_json TEXT, 
	opened_at DATETIME NOT NULL, 
	closed_at DATETIME, 
	CONSTRAINT pk_operations PRIMARY KEY (operation_id), 
	CONSTRAINT fk_operations_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id)
);
CREATE TABLE plan_definitions (
	plan_id VARCHAR(26) NOT NULL, 
	number INTEGER NOT NULL, 
	definition_json TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_plan_definitions PRIMARY KEY (plan_id, number), 
	CONSTRAINT fk_plan_definitions_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id)
);
CREATE TABLE plan_steps (
	step_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	definition INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	step_json TEXT NOT NULL, 
	CONSTRAINT pk_plan_steps PRIMARY KEY (step_id), 
	CONSTRAINT fk_plan_steps_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id), 
	CONSTRAINT uq_plan_steps_plan_id_definition_position UNIQUE (plan_id, definition, position)
);
CREATE TABLE plans (
	plan_id VARCHAR(26) NOT NULL, 
	project_id VARCHAR(26) NOT NULL, 
	number INTEGER NOT NULL, 
	parent_plan_id VARCHAR(26), 
	name TEXT NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	attempt INTEGER NOT NULL, 
	cursor TEXT NOT NULL, 
	definition_json TEXT NOT NULL, 
	error_json TEXT, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, action_path TEXT, action_hash VARCHAR(64), definition INTEGER DEFAULT '0' NOT NULL, parent_step TEXT, merged_ref VARCHAR(64), superseded_by VARCHAR(26), kind VARCHAR(16) DEFAULT 'plan' NOT NULL, 
	CONSTRAINT pk_plans PRIMARY KEY (plan_id), 
	CONSTRAINT uq_plans_project_id_number UNIQUE (project_id, number), 
	CONSTRAINT fk_plans_project_id FOREIGN KEY(project_id) REFERENCES projects (project_id), 
	CONSTRAINT fk_plans_parent_plan_id FOREIGN KEY(parent_plan_id) REFERENCES plans (plan_id)
);
CREATE TABLE projects (
	project_id VARCHAR(26) NOT NULL, 
	path TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_projects PRIMARY KEY (project_id), 
	CONSTRAINT uq_projects_path UNIQUE (path)
);
CREATE TABLE sandboxes (
	sandbox_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	strategy VARCHAR(32) NOT NULL, 
	path TEXT NOT NULL, 
	branch TEXT, 
	status VARCHAR(16) NOT NULL, 
	base_ref VARCHAR(64), 
	notes_json TEXT NOT NULL, 
	created_at DATETIME NOT NULL, refreshed_ref VARCHAR(64), head VARCHAR(64), project_inode TEXT, 
	CONSTRAINT pk_sandboxes PRIMARY KEY (sandbox_id), 
	CONSTRAINT uq_sandboxes_plan_id UNIQUE (plan_id), 
	CONSTRAINT fk_sandboxes_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id)
);
CREATE TABLE step_runs (
	step_run_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	seq INTEGER NOT NULL, 
	cursor TEXT NOT NULL, 
	name TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	attempt INTEGER NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	checkpoint_id VARCHAR(26), 
	result_json TEXT, 
	output_path TEXT NOT NULL, 
	superseded_by VARCHAR(26), 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, level VARCHAR(16) DEFAULT 'none' NOT NULL, way VARCHAR(16), 
	CONSTRAINT pk_step_runs PRIMARY KEY (step_run_id), 
	CONSTRAINT uq_step_runs_plan_id_seq UNIQUE (plan_id, seq), 
	CONSTRAINT fk_step_runs_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id), 
	CONSTRAINT fk_step_runs_checkpoint_id FOREIGN KEY(checkpoint_id) REFERENCES checkpoints (checkpoint_id) ON DELETE SET NULL
);
CREATE TABLE undo_runs (
	undo_run_id VARCHAR(26) NOT NULL, 
	plan_id VARCHAR(26) NOT NULL, 
	operation_id VARCHAR(26) NOT NULL, 
	step_run_id VARCHAR(26) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	result_json TEXT, 
	output_path TEXT NOT NULL, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	CONSTRAINT pk_undo_runs PRIMARY KEY (undo_run_id), 
	CONSTRAINT fk_undo_runs_plan_id FOREIGN KEY(plan_id) REFERENCES plans (plan_id), 
	CONSTRAINT fk_undo_runs_operation_id FOREIGN KEY(operation_id) REFERENCES operations (operation_id), 
	CONSTRAINT fk_undo_runs_step_run_id FOREIGN KEY(step_run_id) REFERENCES step_runs (step_run_id)
);
CREATE INDEX ix_operations_plan_id_status ON operations (plan_id, status);
CREATE INDEX ix_undo_runs_plan_id ON undo_runs (plan_id);
CREATE INDEX ix_conflicts_plan_id ON conflicts (plan_id);
CREATE INDEX ix_correction_attempts_plan_id ON correction_attempts (plan_id);
CREATE INDEX ix_plans_parent_plan_id ON plans (parent_plan_id);
CREATE UNIQUE INDEX ix_checkpoints_plan_id_seq ON checkpoints (plan_id, seq);
CREATE INDEX ix_checkpoints_decision_id ON checkpoints (decision_id);
CREATE INDEX ix_chats_client_session ON chats (client_session);
CREATE INDEX ix_moments_checkpoint_id ON moments (checkpoint_id);
DELETE FROM "sqlite_sequence";
COMMIT;

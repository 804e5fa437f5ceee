-- Why a schedule did not start is stored as a code. packages/contract/src/schedule-failures.ts has the sentences.
ALTER TABLE schedules RENAME COLUMN last_error TO last_error_code;
UPDATE schedules SET last_error_code = CASE
    WHEN last_error_code LIKE 'No site matches%' THEN 'no_matching_site'
    WHEN last_error_code LIKE 'More than 10,000 sites%' THEN 'too_many_sites'
    WHEN last_error_code LIKE '%is disabled or deleted.' THEN 'user_disabled'
    WHEN last_error_code LIKE '%may only view sites.' THEN 'user_may_not_update'
    WHEN last_error_code LIKE '%quarantine%' THEN 'held_version'
  END
WHERE last_error_code IS NOT NULL;

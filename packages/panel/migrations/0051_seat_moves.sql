-- Moves of seats between sites (docs/decisions/0041-seat-moves.md).

-- opened_…_seats: seats that have had a site. Only a seat that has had none is taken without a move.
-- …_seat_left_by: the site that left last, if no site was activated since. It returns without a move. No foreign key: it
-- is only compared with the id of the site that connects.
-- Existing licenses start with the seats in use as the opened ones: the panel takes the greater of both numbers.
ALTER TABLE licenses
  ADD COLUMN opened_counted_seats integer NOT NULL DEFAULT 0,
  ADD COLUMN opened_uncounted_seats integer NOT NULL DEFAULT 0,
  ADD COLUMN counted_seat_left_by bigint,
  ADD COLUMN uncounted_seat_left_by bigint;

-- Each move deletes the moves of its license that are older than 24 hours.
CREATE TABLE seat_moves (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  license_id bigint NOT NULL REFERENCES licenses ON DELETE CASCADE,
  counted    boolean NOT NULL,
  at         timestamptz NOT NULL
);

CREATE INDEX seat_moves_by_license ON seat_moves (license_id, counted, at);

-- Probes and proofs of address in progress, in all processes. A row that its process never removed ends at ends_at.
CREATE TABLE site_probes (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site    text NOT NULL UNIQUE, -- the canonical URL
  address text NOT NULL,
  license_id bigint NOT NULL, -- no foreign key: a row lives for seconds
  ends_at timestamptz NOT NULL
);

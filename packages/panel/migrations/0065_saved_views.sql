-- =====================================================================================================================
-- Views of lists that users have saved
-- =====================================================================================================================

CREATE TABLE saved_views (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  page    text NOT NULL CHECK (page IN ('sites', 'software', 'audit')),
  name    text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  -- The part of the address after the question mark: filters, order and columns.
  query   text NOT NULL CHECK (length(query) <= 2000)
);

CREATE UNIQUE INDEX saved_views_by_name ON saved_views (user_id, page, lower(name));

"""From windows of event files into the store and the database: rows, series, segments, notes. Used by the reader."""

-- Since when the sweep is about to remove the files. Until its row is gone nobody names them and nobody stores them anew.
alter table listings.picture add column removing_since timestamptz;

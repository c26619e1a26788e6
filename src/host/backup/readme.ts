/** The text of README.txt in a backup folder: how to read it without this program. */
export const README = `A backup of Mailkeep, made by "mailkeep-server backup".

Restore it:  mailkeep-server restore <this folder>
Check it:    mailkeep-server verify <this folder>
             or, in this folder: sha256sum --check --quiet snapshots/*.sha256

Without mailkeep-server:
  snapshots/<time>-all.sha256      A snapshot of everything exists if this list does. It names the files of the snapshot
                                   with their SHA-256. "-one" instead of "-all": a snapshot of one mailbox.
  snapshots/<time>-all.jsonl.gz    Its manifest: one JSON value a line. A line of kind "file" or "blob" names the chunks
                                   whose contents, one after the other, are the file; "sha256" is that of the whole file.
  chunks/<aa>/<name>.gz            A chunk: gzip. Its name is the SHA-256 of the contents.

In an encrypted backup all these end in .gz.age: decrypt with "age --decrypt -i <identity file>", then gunzip. Names of
chunks are then HMAC-SHA-256 with the "name_key" in the first line of the manifest.

A file do/mailkeep-Mailbox/<id>.sqlite is an SQLite database with one mailbox: table "account" has its address, "message"
and "content" its mail. The bytes of a mail are in content.raw, or in the blob whose key is content.raw_key.
`;

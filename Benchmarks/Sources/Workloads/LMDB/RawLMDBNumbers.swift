import CBenchLMDB

/// Ten integers in an LMDB file: the key, and the other nine in a value of 72 bytes.
package final class RawLMDBNumbers: NumberOperations {
  private let raw: RawLMDB
  private var numbers: MDB_dbi = 0

  package init(path: String) throws {
    raw = try RawLMDB(path: path)
    try raw.write { transaction in
      try RawLMDB.check(
        mdb_dbi_open(transaction, "numbers", UInt32(MDB_CREATE | MDB_INTEGERKEY), &numbers))
    }
  }

  package func fill(_ rows: [NumberData]) throws {
    try raw.write { transaction in
      for n in rows {
        var id = n.id
        var fields = (n.a, n.b, n.c, n.d, n.e, n.f, n.g, n.h, n.i)
        try withUnsafeMutableBytes(of: &id) { id in
          try withUnsafeMutableBytes(of: &fields) { fields in
            var key = MDB_val(mv_size: 8, mv_data: id.baseAddress)
            var value = MDB_val(mv_size: fields.count, mv_data: fields.baseAddress)
            try RawLMDB.check(mdb_put(transaction, numbers, &key, &value, UInt32(MDB_APPEND)))
          }
        }
      }
    }
  }

  package func scanNumbers() throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, numbers) { cursor in
        var found: [NumberData] = []
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while code == MDB_SUCCESS, let bytes = value.mv_data {
          func field(_ place: Int) -> Int64 {
            bytes.loadUnaligned(fromByteOffset: place * 8, as: Int64.self)
          }
          found.append(
            NumberData(
              id: key.mv_data.loadUnaligned(as: Int64.self), a: field(0), b: field(1), c: field(2),
              d: field(3), e: field(4), f: field(5), g: field(6), h: field(7), i: field(8)))
          code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        return found.checksum
      }
    }
  }
}

import CLMDB
import ORMCore

/// An LMDB file as any other program would make it: one row in its main database.
func makeForeignLMDB(_ path: String) throws {
  var environment: OpaquePointer?
  var transaction: OpaquePointer?
  var database: MDB_dbi = 0
  var codes = [mdb_env_create(&environment)]
  codes.append(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOLOCK), 0o600))
  codes.append(mdb_txn_begin(environment, nil, 0, &transaction))
  codes.append(mdb_dbi_open(transaction, nil, 0, &database))
  var bytes: [UInt8] = [1, 2, 3]
  codes.append(
    bytes.withUnsafeMutableBytes { bytes in
      var key = MDB_val(mv_size: 3, mv_data: bytes.baseAddress)
      var value = key
      return mdb_put(transaction, database, &key, &value, 0)
    })
  codes.append(mdb_txn_commit(transaction))
  mdb_env_close(environment)
  if let code = codes.first(where: { $0 != 0 }) {
    throw StoreError(.engine, "LMDB made no file", engineCode: Int(code))
  }
}

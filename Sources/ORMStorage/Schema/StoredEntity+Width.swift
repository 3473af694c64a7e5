extension StoredEntity {
  /// The most columns that an entity may have, on every store.
  ///
  /// PostgreSQL stops at 1,600, SQLite at 2,000; ordered stores have no limit of their own. The
  /// columns are those of ``width``. PostgreSQL keeps a row in a page of 8 KiB: of more than 300 values
  /// that are not nil, it may refuse a row as `tooLarge`.
  public static let maximumColumns = 1600

  /// The number of columns that an SQL store makes for the entity: its attributes, the parts of
  /// embedded structs, the keys of links, the attributes of subentities, and one folded text beside
  /// each attribute with a case-insensitive index.
  public var width: Int {
    let folded = indexes.lazy.flatMap(\.terms).filter { $0.form == .caseFolded }
    return columns.count + Set(folded.map(\.column)).count
  }
}

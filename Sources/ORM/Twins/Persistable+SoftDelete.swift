public import FoundationEssentials
public import ORMCore

/// What becomes of hidden rows, through the default store.
extension Persistable {
  /// Brings the hidden rows that the query asks for back, and counts them.
  @discardableResult
  public static func restore(_ query: Query<Self>) throws -> Int {
    try Persistence.store.restore(query)
  }

  /// Deletes the hidden rows that the query asks for, for good, and counts them.
  @discardableResult
  public static func purge(_ query: Query<Self>) throws -> Int {
    try Persistence.store.purge(query)
  }

  /// Deletes the rows hidden before a moment for good, without one all hidden rows; counts them.
  @discardableResult
  public static func purgeAll(before moment: Date? = nil) throws -> Int {
    try Persistence.store.purgeAll(Self.self, before: moment)
  }
}

extension PrimaryKeyed {
  /// Brings the hidden row with this key back; says whether there was one.
  @discardableResult
  public static func restore(id: Self.ID) throws -> Bool {
    try Persistence.store.restore(Self.self, id: id)
  }

  /// Brings the hidden row with the model's key back; says whether there was one.
  @discardableResult
  public func restore() throws -> Bool {
    try Persistence.store.restore(self)
  }

  /// Deletes the hidden row with this key for good; says whether there was one.
  @discardableResult
  public static func purge(id: Self.ID) throws -> Bool {
    try Persistence.store.purge(Self.self, id: id)
  }

  /// Deletes the hidden row with the model's key for good; says whether there was one.
  @discardableResult
  public func purge() throws -> Bool {
    try Persistence.store.purge(self)
  }
}

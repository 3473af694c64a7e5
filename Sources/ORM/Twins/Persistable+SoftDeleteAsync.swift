public import FoundationEssentials
public import ORMCore

/// What becomes of hidden rows, through the default store.
extension Persistable {
  /// Brings the hidden rows that the query asks for back, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func restore(_ query: Query<Self>) async throws -> Int {
    try await Persistence.store.restore(query)
  }

  /// Deletes the hidden rows that the query asks for, for good, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func purge(_ query: Query<Self>) async throws -> Int {
    try await Persistence.store.purge(query)
  }

  /// Deletes the rows hidden before a moment for good, without one all hidden rows; counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func purgeAll(before moment: Date? = nil) async throws -> Int {
    try await Persistence.store.purgeAll(Self.self, before: moment)
  }
}

extension PrimaryKeyed {
  /// Brings the hidden row with this key back; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func restore(id: Self.ID) async throws -> Bool {
    try await Persistence.store.restore(Self.self, id: id)
  }

  /// Brings the hidden row with the model's key back; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func restore() async throws -> Bool {
    try await Persistence.store.restore(self)
  }

  /// Deletes the hidden row with this key for good; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func purge(id: Self.ID) async throws -> Bool {
    try await Persistence.store.purge(Self.self, id: id)
  }

  /// Deletes the hidden row with the model's key for good; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func purge() async throws -> Bool {
    try await Persistence.store.purge(self)
  }
}

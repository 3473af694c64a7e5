public import FoundationEssentials
public import ORMCore

extension Store {
  /// Brings the hidden rows that the query asks for back, and counts them.
  @discardableResult
  public func restore<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    try verb { try $0.restore(query) }
  }

  /// Brings the hidden row with this key back; says whether there was one.
  @discardableResult
  public func restore<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) throws -> Bool {
    try verb { try $0.restore(model, id: id) }
  }

  /// Brings the hidden row with the model's key back; says whether there was one.
  @discardableResult
  public func restore<Model: PrimaryKeyed>(_ model: Model) throws -> Bool {
    try verb { try $0.restore(model) }
  }

  /// Deletes the hidden rows that the query asks for, for good, and counts them.
  @discardableResult
  public func purge<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    try verb { try $0.purge(query) }
  }

  /// Deletes the hidden row with this key for good; says whether there was one.
  @discardableResult
  public func purge<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) throws -> Bool {
    try verb { try $0.purge(model, id: id) }
  }

  /// Deletes the hidden row with the model's key for good; says whether there was one.
  @discardableResult
  public func purge<Model: PrimaryKeyed>(_ model: Model) throws -> Bool {
    try verb { try $0.purge(model) }
  }

  /// Deletes the rows hidden before a moment for good, without one all hidden rows; counts them.
  @discardableResult
  public func purgeAll<Model: Persistable>(_ model: Model.Type, before moment: Date? = nil) throws
    -> Int
  {
    try verb { try $0.purgeAll(model, before: moment) }
  }
}

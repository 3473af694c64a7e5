/// An error of a store, in the same form for every store.
///
/// ```swift
/// do {
///   try store.insert(snack)
/// } catch let error as StoreError where error.code == .duplicate {
///   print(error.attributes, error)
/// }
/// ```
///
/// The same fault carries the same ``Code`` on every store. `description` names the entity, the
/// key's attributes and the sentence for a person. It leaves out stored values, which a program
/// finds in ``key`` and ``values``.
public struct StoreError: Error, Hashable, Codable, Sendable {
  /// The kind of fault; open, so that third-party stores can add codes of their own.
  public var code: Code
  /// A sentence for a person.
  public var message: String
  /// The entity concerned, by its model name.
  public var entity: String?
  /// The primary key of the row concerned, one value a key attribute.
  public var key: [StoredValue]
  /// The attributes concerned, by their model names.
  public var attributes: [String]
  /// The values concerned, in the order of ``attributes`` where there are any.
  public var values: [StoredValue]
  /// The name of the rule that is broken, where it has one.
  public var rule: String?
  /// The engine's own result code beneath (an SQLite extended code, an LMDB code, an errno).
  public var engineCode: Int?
  /// The single faults, where several are reported together.
  public var failures: [StoreError]
  /// The store concerned, by the path of its file, or in a few words where it has none; nil where
  /// it is not known.
  public var store: String?

  /// Makes an error; everything but the code and the sentence is optional.
  ///
  /// Of a name longer than 100 bytes the sentence keeps the beginning and the end.
  public init(
    _ code: Code, _ message: String, entity: String? = nil, key: [StoredValue] = [],
    attributes: [String] = [], values: [StoredValue] = [], rule: String? = nil,
    engineCode: Int? = nil, failures: [StoreError] = [], store: String? = nil
  ) {
    self.code = code
    self.message = message.withShortWords
    self.entity = entity
    self.key = key
    self.attributes = attributes
    self.values = values
    self.rule = rule
    self.engineCode = engineCode
    self.failures = failures
    self.store = store
  }

  /// The same error with its empty fields filled in; the others stay as they are.
  public func filling(
    entity: String? = nil, key: [StoredValue] = [], attributes: [String] = []
  ) -> StoreError {
    var copy = self
    if copy.entity == nil { copy.entity = entity }
    if copy.key.isEmpty { copy.key = key }
    if copy.attributes.isEmpty { copy.attributes = attributes }
    return copy
  }
}

public import ORMStorage

/// The attributes and relationships of a model inside a typed condition: `{ $0.price > 3 }` is
/// handed one.
///
/// ```swift
/// Snack.where { fields in fields.price < 3 || fields.name == "Chips" }
/// ```
@dynamicMemberLookup
public struct Fields<Model: Persistable>: Sendable {
  let scope: Int

  package init(scope: Int = 0) { self.scope = scope }

  // Disfavored: else each link is tried as an attribute too, and a chain of eight counts of related
  // objects takes three to the power of eight tries.
  /// An attribute.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember path: AttributePath<Model, Value>) -> Field<Model, Value> {
    Field(path: path, scope: scope)
  }

  /// A to-one: `$0.team.name == "Reds"`.
  public subscript<Target>(
    dynamicMember path: AttributePath<Model, ToOne<Target>>
  ) -> ToOneField<Model, Target> { self[path] }

  /// A to-many: `$0.players.count > 3`.
  public subscript<Target>(
    dynamicMember path: AttributePath<Model, ToMany<Target>>
  ) -> ToManyField<Model, Target> { self[path] }

  /// An attribute by its key path, where its name is also a word of this type.
  @_disfavoredOverload
  public subscript<Value>(path: AttributePath<Model, Value>) -> Field<Model, Value> {
    Field(path: path, scope: scope)
  }

  /// A to-one by its key path.
  public subscript<Target>(
    path: AttributePath<Model, ToOne<Target>>
  ) -> ToOneField<Model, Target> {
    ToOneField(linkPath: LinkPath(scope: scope).following(path, of: Model.self))
  }

  /// A to-many by its key path.
  public subscript<Target>(
    path: AttributePath<Model, ToMany<Target>>
  ) -> ToManyField<Model, Target> {
    ToManyField(linkPath: LinkPath(scope: scope).following(path, of: Model.self))
  }
}

/// A value inside a typed condition: an attribute, or a value computed from attributes.
///
/// ```swift
/// Snack.where { $0.price * 2 < 5 && !$0.tags.contains("hot") }
/// Snack.where { $0.name.lowercased().beginsWith("ch") }
/// ```
///
/// Its own members are methods, so that no attribute is shadowed by one.
@dynamicMemberLookup
public struct Field<Model: Persistable, Value>: Sendable {
  package let operand: Operand
  private let origin: FieldOrigin

  init(path: AttributePath<Model, Value>, scope: Int) {
    operand = Model.operand(of: path, scope: scope)
    origin = .row(path: path, scope: scope)
  }

  init(_ fieldPath: FieldPath) {
    operand = fieldPath.operand
    origin = .fieldPath(fieldPath)
  }

  package init(_ operand: Operand) {
    self.operand = operand
    origin = .none
  }

  private var fieldPath: FieldPath? {
    switch origin {
    case .none: nil
    case .row(let path, let scope):
      FieldPath(linkPath: LinkPath(scope: scope), model: Model.self, path: path)
    case .fieldPath(let fieldPath): fieldPath
    }
  }

  /// A part of a composite key or of an embedded struct: `$0.id.classNumber`, `$0.address.street`.
  public subscript<Part>(
    dynamicMember part: AttributePath<Value, Part>
  ) -> Field<Model, Part> where Value: PartedValue { self.part(part) }

  /// A part of a composite key or of an embedded struct through a to-one, or of a struct that may
  /// be nil: `$0.league.id.country`.
  public subscript<Whole: PartedValue, Part>(
    dynamicMember part: AttributePath<Whole, Part>
  ) -> Field<Model, Part?> where Value == Whole? { self.part(part) }

  /// An optional part of a struct that may be nil.
  public subscript<Whole: PartedValue, Part>(
    dynamicMember part: AttributePath<Whole, Part?>
  ) -> Field<Model, Part?> where Value == Whole? { self.part(part) }

  func part<Part>(_ part: any AnyKeyPath & Sendable) -> Field<Model, Part> {
    guard let fieldPath = fieldPath?.part(part) else {
      return Field<Model, Part>(
        .invalid(.notDeclared(part, "an attribute", entity: Model.entity.description.name)))
    }
    return Field<Model, Part>(fieldPath)
  }
}

/// A value whose parts are attributes: a composite key, or an embedded struct.
public protocol PartedValue {}

extension Field where Value: AttributeValue {
  // Disfavored beside `isIn` of a range: a range of integers is a sequence too, even one without end.
  /// Returns whether the value is one of a list.
  ///
  /// ```swift
  /// Snack.where { $0.name.isIn(["Chips", "Crisps"]) }
  /// ```
  @_disfavoredOverload
  public func isIn(_ list: some Sequence<Value>) -> Filter<Model> {
    Filter(.isIn(operand, list: .value(.array(list.map { $0.storedValue })), []))
  }

  /// Returns whether the value is there and one of a list.
  @_disfavoredOverload
  public func isIn<Present: AttributeValue>(_ list: some Sequence<Present>) -> Filter<Model>
  where Value == Present? {
    Filter(.isIn(operand, list: .value(.array(list.map { $0.storedValue })), []))
  }

  /// Returns whether the value lies between two, both included: `lower <= value AND value <=
  /// upper`.
  ///
  /// ```swift
  /// Snack.where { $0.price.isBetween(1, 3) }
  /// ```
  public func isBetween(_ lower: Value, _ upper: Value) -> Filter<Model> {
    Filter(
      .all([
        .compare(operand, .greaterOrEqual, .value(lower.storedValue), []),
        .compare(operand, .lessOrEqual, .value(upper.storedValue), []),
      ]))
  }

  /// Returns whether the value is nil.
  ///
  /// ```swift
  /// Snack.where { $0.taste.isNil() }
  /// ```
  public func isNil() -> Filter<Model> {
    Filter(.compare(operand, .equal, .value(.null), []))
  }
}

extension Field where Value: TextAttribute {
  /// Returns whether the text equals another under options: `$0.name.equals("chips",
  /// .caseInsensitive)`.
  ///
  /// ```swift
  /// Snack.where { $0.name.equals("chips", .caseInsensitive) }
  /// ```
  public func equals(_ text: String, _ options: TextOptions = []) -> Filter<Model> {
    Filter(.compare(operand, .equal, .value(.string(text)), options))
  }
  /// Returns whether the text equals one of a list under options.
  ///
  /// ```swift
  /// Snack.where { $0.name.isIn(["chips", "crisps"], .caseInsensitive) }
  /// ```
  public func isIn(_ list: some Sequence<String>, _ options: TextOptions) -> Filter<Model> {
    Filter(.isIn(operand, list: .value(.array(list.map { .string($0) })), options))
  }
  /// Returns whether the text holds another somewhere.
  ///
  /// ```swift
  /// Snack.where { $0.name.contains("hip") }
  /// ```
  public func contains(_ text: String, _ options: TextOptions = []) -> Filter<Model> {
    Filter(.text(operand, .contains, .value(.string(text)), options))
  }
  /// Returns whether the text begins with another.
  ///
  /// ```swift
  /// Snack.where { $0.name.beginsWith("ch", .caseInsensitive) }
  /// ```
  public func beginsWith(_ text: String, _ options: TextOptions = []) -> Filter<Model> {
    Filter(.text(operand, .beginsWith, .value(.string(text)), options))
  }
  /// Returns whether the text ends with another.
  ///
  /// ```swift
  /// Snack.where { $0.name.endsWith("ps") }
  /// ```
  public func endsWith(_ text: String, _ options: TextOptions = []) -> Filter<Model> {
    Filter(.text(operand, .endsWith, .value(.string(text)), options))
  }
  /// Returns whether the whole text matches a pattern: `?` is one Unicode scalar, `*` any run, `\`
  /// escapes.
  ///
  /// ```swift
  /// Snack.where { $0.name.like("ch?ps*", .caseInsensitive) }
  /// ```
  public func like(_ pattern: String, _ options: TextOptions = []) -> Filter<Model> {
    Filter(.text(operand, .like, .value(.string(pattern)), options))
  }
  /// Returns whether the whole text matches a regular expression: the part of ICU's syntax without
  /// back-references and look-around (clause 2.5), in time linear in the text.
  ///
  /// ```swift
  /// Snack.where { $0.name.matches("[A-Z].*s") }
  /// ```
  ///
  /// A pattern that is none is `invalidCondition` at first use, with the position of its fault.
  public func matches(_ pattern: String, _ options: TextOptions = []) -> Filter<Model> {
    Filter(.text(operand, .matches, .value(.string(pattern)), options))
  }
  /// The condition that the text is there and empty.
  ///
  /// ```swift
  /// Snack.where { !$0.name.isEmpty }
  /// ```
  public var isEmpty: Filter<Model> { Filter(.compare(operand, .equal, .value(.string("")), [])) }
  /// Unavailable: the operator is ``beginsWith(_:_:)``.
  @available(*, unavailable, renamed: "beginsWith(_:)")
  public func hasPrefix(_ text: String) -> Filter<Model> { beginsWith(text) }
  /// Unavailable: the operator is ``endsWith(_:_:)``.
  @available(*, unavailable, renamed: "endsWith(_:)")
  public func hasSuffix(_ text: String) -> Filter<Model> { endsWith(text) }
  /// Returns the number of Unicode scalars the text has.
  ///
  /// ```swift
  /// Snack.where { $0.name.length() > 5 }
  /// ```
  public func length() -> Field<Model, Int?> { Field<Model, Int?>(.function(.length, operand)) }
  /// The text in upper case.
  ///
  /// ```swift
  /// Snack.where { $0.name.uppercased() == "CHIPS" }
  /// ```
  public func uppercased() -> Field<Model, String?> {
    Field<Model, String?>(.function(.uppercase, operand))
  }
  /// The text in lower case.
  ///
  /// ```swift
  /// Snack.where { $0.name.lowercased() == "chips" }
  /// ```
  public func lowercased() -> Field<Model, String?> {
    Field<Model, String?>(.function(.lowercase, operand))
  }
  /// The text as options compare it: `$0.name.folded(.caseInsensitive)` is equal for texts that
  /// differ in case alone.
  ///
  /// ```swift
  /// Snack.all.sorted(by: .ascending { $0.name.folded([.caseInsensitive, .diacriticInsensitive]) })
  /// ```
  public func folded(_ options: TextOptions) -> Field<Model, String?> {
    Field<Model, String?>(operand.folded(options))
  }
}

extension Field where Value: ArrayAttribute {
  /// Returns whether the array or set holds an element.
  ///
  /// ```swift
  /// Snack.where { $0.tags.contains("hot") }
  /// ```
  public func contains(_ element: Value.Member) -> Filter<Model> {
    Filter(.isIn(.value(element.storedValue), list: operand, []))
  }
  /// The condition that the array or set is there and has no element.
  ///
  /// ```swift
  /// Snack.where { $0.tags.isEmpty }
  /// ```
  public var isEmpty: Filter<Model> {
    Filter(.compare(.function(.count, operand), .equal, .value(.int(0)), []))
  }
  /// Returns the number of elements.
  ///
  /// ```swift
  /// Snack.where { $0.tags.count() > 1 }
  /// ```
  public func count() -> Field<Model, Int?> { Field<Model, Int?>(.function(.count, operand)) }
  /// The element at a position, from 0; nil out of range.
  ///
  /// ```swift
  /// Snack.where { $0.tags.element(at: 0) == "hot" }
  /// ```
  public func element(at position: Int) -> Field<Model, Value.Member?> {
    Field<Model, Value.Member?>(.element(operand, position))
  }
}

extension Field {
  /// Returns the value found in a JSON attribute by following names and positions; nil if there is
  /// none.
  ///
  /// For example, `$0.address.json("lines", 0, as: String.self) == "Main St"`.
  public func json<Found: AttributeValue>(
    _ steps: JSONStep..., as type: Found.Type
  ) -> Field<Model, Found?> {
    Field<Model, Found?>(.json(operand, steps))
  }
}

/// A type of text attributes: `String`, and optionals of it.
public protocol TextAttribute: AttributeValue {}
extension String: TextAttribute {}
extension Optional: TextAttribute where Wrapped: TextAttribute {}

/// A type of array attributes: arrays and sets of scalars, and optionals of them.
public protocol ArrayAttribute: AttributeValue {
  /// The type of an element.
  associatedtype Member: AttributeValue
}
extension Array: ArrayAttribute where Element: AttributeValue {
  /// The element.
  public typealias Member = Element
}
extension Set: ArrayAttribute where Element: AttributeValue {
  /// The element.
  public typealias Member = Element
}
extension Optional: ArrayAttribute where Wrapped: ArrayAttribute {
  /// The element of the wrapped type.
  public typealias Member = Wrapped.Member
}

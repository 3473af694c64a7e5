internal import ORMStorage

extension Changes {
  /// Sets an embedded struct as a whole: `$0.address = Address(street: "Elm St", city: "Springwood")`.
  @_disfavoredOverload
  public subscript<Value: Persistable>(
    dynamicMember path: AttributePath<Model, Value>
  ) -> Value {
    @available(*, unavailable, message: "a change can set a struct but not read it")
    get { preconditionFailure("a change of \(Model.self) can set a struct but not read it") }
    set {
      set(newValue, at: FieldPath(linkPath: LinkPath(scope: 0), model: Model.self, path: path))
    }
  }

  /// Sets an embedded struct that may be nil, or takes it away: `$0.address = nil`.
  @_disfavoredOverload
  public subscript<Value: Persistable>(
    dynamicMember path: AttributePath<Model, Value?>
  ) -> Value? {
    @available(*, unavailable, message: "a change can set a struct but not read it")
    get { nil }
    set {
      set(newValue, at: FieldPath(linkPath: LinkPath(scope: 0), model: Model.self, path: path))
    }
  }

  /// The parts of an embedded struct, to be set one by one: `$0.address.street = "Elm St"`.
  public subscript<Value: Persistable>(
    dynamicMember path: AttributePath<Model, Value>
  ) -> EmbeddedChanges<Model, Value> {
    get { parts(of: path) }
    set { add(newValue) }
  }

  /// The parts of a struct that may be nil, to be set one by one.
  ///
  /// Where it is nil it has no parts: a change of rows among which there is such a one is
  /// `missingValue`, and changes nothing, unless it sets the struct too.
  public subscript<Value: Persistable>(
    dynamicMember path: AttributePath<Model, Value?>
  ) -> EmbeddedChanges<Model, Value> {
    get { parts(of: path) }
    set { add(newValue) }
  }

  private func parts<Value>(
    of path: any AnyKeyPath & Sendable
  ) -> EmbeddedChanges<Model, Value> {
    EmbeddedChanges(
      fieldPath: FieldPath(linkPath: LinkPath(scope: 0), model: Model.self, path: path))
  }

  private mutating func add<Value>(_ changes: EmbeddedChanges<Model, Value>) {
    for (attribute, value) in changes.assignments { assign(attribute, value) }
  }

  private mutating func set<Value: Persistable>(_ value: Value?, at fieldPath: FieldPath) {
    for (attribute, value) in EmbeddedChanges<Model, Value>.whole(value, at: fieldPath) {
      assign(attribute, value)
    }
  }
}

/// The assignments to an embedded struct in a change: `$0.address.street = "Elm St"`.
///
/// ```swift
/// try store.update(Customer.all) { $0.home.city = "Bern" }
/// ```
@dynamicMemberLookup
public struct EmbeddedChanges<Model: Persistable, Value: Persistable>: Sendable {
  typealias Assignment = (attribute: Operand, value: Operand)

  let fieldPath: FieldPath
  private(set) var assignments: [Assignment] = []

  init(fieldPath: FieldPath) { self.fieldPath = fieldPath }

  /// Sets an attribute of the struct.
  public subscript<Part: AttributeValue>(
    dynamicMember path: AttributePath<Value, Part>
  ) -> Part {
    @available(*, unavailable, message: "to use the stored value, write $0.struct[\\.attribute]")
    get { preconditionFailure("a change of \(Model.self) can set an attribute but not read it") }
    set { assignments.append((operand(of: path), .value(newValue.storedValue))) }
  }

  /// The stored value of an attribute of the struct, to be worked with: `$0.address[\.visits] += 1`.
  public subscript<Part: AttributeValue>(
    path: AttributePath<Value, Part>
  ) -> Field<Model, Part> {
    get { Field(operand(of: path)) }
    set { assignments.append((operand(of: path), newValue.operand)) }
  }

  /// Sets a struct inside the struct.
  @_disfavoredOverload
  public subscript<Inner: Persistable>(
    dynamicMember path: AttributePath<Value, Inner>
  ) -> Inner {
    @available(*, unavailable, message: "a change can set a struct but not read it")
    get { preconditionFailure("a change of \(Model.self) can set a struct but not read it") }
    set { set(newValue, at: path) }
  }

  /// Sets a struct inside the struct, or takes it away.
  @_disfavoredOverload
  public subscript<Inner: Persistable>(
    dynamicMember path: AttributePath<Value, Inner?>
  ) -> Inner? {
    @available(*, unavailable, message: "a change can set a struct but not read it")
    get { nil }
    set { set(newValue, at: path) }
  }

  /// The parts of a struct inside the struct.
  public subscript<Inner: Persistable>(
    dynamicMember path: AttributePath<Value, Inner>
  ) -> EmbeddedChanges<Model, Inner> {
    get { parts(of: path) }
    set { assignments += newValue.assignments }
  }

  /// The parts of a struct inside the struct that may be nil.
  public subscript<Inner: Persistable>(
    dynamicMember path: AttributePath<Value, Inner?>
  ) -> EmbeddedChanges<Model, Inner> {
    get { parts(of: path) }
    set { assignments += newValue.assignments }
  }

  private func part(_ path: any AnyKeyPath & Sendable) -> FieldPath {
    fieldPath.part(path) ?? FieldPath(linkPath: fieldPath.linkPath, model: Value.self, path: path)
  }

  private func operand(of path: any AnyKeyPath & Sendable) -> Operand { part(path).operand }

  private func parts<Inner>(
    of path: any AnyKeyPath & Sendable
  ) -> EmbeddedChanges<Model, Inner> {
    EmbeddedChanges<Model, Inner>(fieldPath: part(path))
  }

  private mutating func set<Inner: Persistable>(
    _ value: Inner?, at path: any AnyKeyPath & Sendable
  ) {
    assignments += EmbeddedChanges<Model, Inner>.whole(value, at: part(path))
  }

  /// The assignments of a whole struct: of each of its attributes, and of the mark of its presence
  /// where it may be nil.
  static func whole(_ value: Value?, at fieldPath: FieldPath) -> [Assignment] {
    guard let embedded = fieldPath.embedded else { return [(fieldPath.operand, .value(.null))] }
    let name = fieldPath.prefix + embedded.name
    func operand(_ name: String) -> Operand { fieldPath.linkPath.operand(named: name) }
    let names = Value.entity.declared.attributes.map { operand("\(name).\($0.name)") }
    do {
      let values =
        try value.map { try BufferedRow(encoding: $0).values }
        ?? Array(repeating: .null, count: names.count)
      let parts = zip(names, values).map { ($0, Operand.value($1)) }
      guard embedded.isOptional else { return parts }
      return [(operand(name), .value(value == nil ? .null : .bool(true)))] + parts
    } catch {
      var fault = error as? StoreError ?? StoreError(.invalidValue, "\(error)")
      fault.attributes = [name]
      return [(.invalid(fault.filling(entity: Model.entity.declared.name)), .value(.null))]
    }
  }
}

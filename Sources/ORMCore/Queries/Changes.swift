public import ORMStorage

/// The assignments of a patch or a set-based update.
///
/// Each sets an attribute to a value, to nil, or to a value computed from the row. Attributes that
/// are not named keep their values.
///
/// ```swift
/// try store.update(Snack.all.where { $0.price > 9 }) { $0[\.price] -= 1; $0.taste = nil }
/// ```
@dynamicMemberLookup
public struct Changes<Model: Persistable>: Sendable {
  /// The attributes named so far and their new values; the last assignment counts.
  package private(set) var assignments: [(attribute: Operand, value: Operand)] = []

  package init() {}

  /// Sets an attribute.
  ///
  /// ```swift
  /// try store.update(Snack.all) { $0.taste = "hot" }
  /// ```
  public subscript<Value: AttributeValue>(
    dynamicMember path: AttributePath<Model, Value>
  ) -> Value {
    @available(*, unavailable, message: "to use the stored value, write $0[\\.attribute]")
    get {
      preconditionFailure(
        "a change of \(Model.self) can set an attribute but not read it; to use the stored "
          + "value, write $0[\\.attribute]"
      )
    }
    set { assign(path, .value(newValue.storedValue)) }
  }

  /// The stored value of an attribute, to be worked with: `$0[\.price] -= 1`.
  ///
  /// ```swift
  /// try store.update(Snack.all) { $0[\.price] += 1 }
  /// ```
  public subscript<Value: AttributeValue>(
    path: AttributePath<Model, Value>
  ) -> Field<Model, Value> {
    get { Field(path: path, scope: 0) }
    set { assign(path, newValue.operand) }
  }

  /// Sets an attribute by its name; for names known only when the program runs.
  ///
  /// ```swift
  /// try store.update(Snack.all) { $0.set("taste", to: .string("hot")) }
  /// ```
  public mutating func set(_ attribute: String, to value: StoredValue) {
    assign(.attribute(attribute), .value(value))
  }

  private mutating func assign(_ path: any AnyKeyPath & Sendable, _ value: Operand) {
    assign(Model.operand(of: path, scope: 0), value)
  }

  mutating func assign(_ attribute: Operand, _ value: Operand) {
    assignments.removeAll { $0.attribute == attribute }
    assignments.append((attribute, value))
  }
}

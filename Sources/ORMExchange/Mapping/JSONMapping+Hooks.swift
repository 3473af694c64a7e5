public import ORM

extension JSONMapping {
  /// Calls a closure with each object before it is read; it may change the JSON, or leave it out.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).before { json in json["name"] == "" ? .skip : .keep }
  /// ```
  ///
  /// It is called for nested objects too: one that is skipped is no member of its list.
  public func before(
    _ hook: @escaping @Sendable (inout JSONValue) throws -> JSONDecision
  ) -> JSONMapping {
    adding { $0.before.append(hook) }
  }

  /// Calls a closure with each model that was read and its JSON.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).after { snack, json in
  ///   snack.stock = json["shelves"].elements?.count ?? 0
  ///   return .keep
  /// }
  /// ```
  public func after(
    _ hook: @escaping @Sendable (inout Model, JSONValue) throws -> JSONDecision
  ) -> JSONMapping {
    hooking { $0.after.append(hook) }
  }

  /// Calls a closure with the JSON of each model before it is written.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).afterWriting { json, snack in
  ///   json["label"] = .string(snack.name.uppercased())
  /// }
  /// ```
  public func afterWriting(
    _ hook: @escaping @Sendable (inout JSONValue, Model) throws -> Void
  ) -> JSONMapping {
    hooking { $0.afterWriting.append(hook) }
  }
}

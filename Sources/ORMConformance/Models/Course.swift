internal import FoundationEssentials
internal import ORM

/// One side of a many-to-many whose links are objects with attributes of their own.
struct Course: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var students: ToMany<Student>
  static let entity = Entity<Course>("Course") {
    .key("id", \.id)
      .relationship(
        "students", \.students, inverse: \Student.courses, through: Attendance.self)
  }

  init(_ id: Int64, students: ToMany<Student> = .notLoaded) {
    self.id = id
    self.students = students
  }
}

/// The other side.
struct Student: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: String
  var courses: ToMany<Course>
  static let entity = Entity<Student>("Student") {
    .key("id", \.id)
      .relationship("courses", \.courses, through: Attendance.self)
  }

  init(_ id: String, courses: ToMany<Course> = .notLoaded) {
    self.id = id
    self.courses = courses
  }
}

/// The links between courses and students, with a mark.
struct Attendance: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: UUID
  var mark: Int?
  var weight: Int
  var course: ToOne<Course>
  var student: ToOne<Student>
  static let entity = Entity<Attendance>("Attendance") {
    .key("id", \.id, .uuidV4)
      .attribute("mark", \.mark)
      .attribute("weight", \.weight, .default(3))
      .relationship("course", \.course, targetDeleted: .cascade, required: true)
      .relationship("student", \.student, targetDeleted: .cascade, required: true)
  }

  init(
    id: UUID = .unassigned, mark: Int?, weight: Int = 1, course: ToOne<Course>,
    student: ToOne<Student>
  ) {
    self.id = id
    self.mark = mark
    self.weight = weight
    self.course = course
    self.student = student
  }
}
